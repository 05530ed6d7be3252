// The two ways to run a program, apart from the cache: for tests and measurements.
#pragma once
#include <memory>

#include "kernels/vector/kernel_table.h"
#include "kernels/vector/program.h"

namespace tandem::vec {

// Null if the emitter does not cover the program on this unit. The program must be valid.
std::shared_ptr<const CompiledProgram> MakeEmitted(const Program& program, Isa isa);

}  // namespace tandem::vec
