// Shapes that arrive as values: the `shape` of Reshape, Fill, BroadcastTo, the random ops.
//
//   ASSIGN_OR_RETURN(Shape shape, ShapeFromValue(c, 0));   // in an inference function
#pragma once
#include "core/gradient.h"
#include "core/infer.h"
#include "core/ints.h"

namespace tandem {

// The shape that integer input i spells. Not known yet: unknown dimensions, as many as the input has elements, or an
// unknown rank. INVALID_ARGUMENT unless i is a vector of at most kMaxRank non-negative numbers whose product is at most
// 2^63 - 1. -1 stays an unknown dimension where allowed (Reshape).
absl::StatusOr<Shape> ShapeFromValue(const InferContext& c, int i, bool minus_one = false);

// INVALID_ARGUMENT when a fully known shape has more than 2^63 - 1 elements.
absl::Status CheckSize(const InferContext& c, const Shape& shape);

// The shape of input i, for gradients: a constant where it is known, else computed in the graph, in that dtype.
Ints ShapeOfInput(const Recorded& op, int i, DType dtype = kInt32);

}  // namespace tandem
