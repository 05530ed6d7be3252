// Why a gradient is what it is: the path that a tape recorded, or where it ends.
#pragma once
#include <string>

#include "eager/sources.h"
#include "eager/tape_context.h"

namespace tandem {

// See GradientTape::Explain.
std::string ExplainPath(const TapeContext& tape, const Tensor& y, const Source& x);

}  // namespace tandem
