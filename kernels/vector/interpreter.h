// Runs a program tile by tile through the kernels of elementwise.h: the same bits as emitted code, on any machine.
#pragma once
#include <memory>

#include "kernels/vector/kernel_table.h"
#include "kernels/vector/program.h"

namespace tandem::vec {

// The program must be valid.
std::shared_ptr<const CompiledProgram> MakeInterpreter(const Program& program, Isa isa);

}  // namespace tandem::vec
