// From a program of functions to the primitives they are made of.
#pragma once
#include <optional>

#include "kernels/vector/primitives.h"
#include "kernels/vector/program.h"

namespace tandem::vec {

// Nodes in order of definition, none unused. Null if a function has no vector body (64-bit integer division, Pow of
// integers). has_scale: see Recorder.
std::optional<PrimitiveGraph> RecordProgram(const Program& program, bool has_scale);

}  // namespace tandem::vec
