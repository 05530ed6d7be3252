// The two ways to run a program, apart from the cache: for tests and measurements.
#pragma once
#include <memory>

#include "kernels/vector/kernel_table.h"
#include "kernels/vector/program.h"

namespace tandem::vec {

// `values` computes the program's values whole; the result reduces those outputs that a reduction closes.
std::shared_ptr<const CompiledProgram> WithReductions(const Program& program, std::shared_ptr<const CompiledProgram> values);

// Null if the emitter does not cover the program on this unit. The program must be valid.
std::shared_ptr<const CompiledProgram> MakeEmitted(const Program& program, Isa isa);

}  // namespace tandem::vec
