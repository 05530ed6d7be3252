// What inference and gradients of list ops share.
#pragma once
#include "core/gradient.h"
#include "core/infer.h"
#include "core/ops/tensor_list.h"

namespace tandem {

// The shape that input i spells: unknown for -1 or while the value is not known. INVALID_ARGUMENT unless it is -1 or a
// vector of numbers of at least -1.
absl::StatusOr<Shape> InferElementShape(const InferContext& c, int i);
// INVALID_ARGUMENT unless input i can be a scalar.
absl::Status CheckListHandle(const InferContext& c, int i);
// A shape without its first axis, and with one more in front.
Shape WithoutFirst(const Shape& shape);
Shape WithFirst(int64_t first, const Shape& rest);

// The shape of the items in a stack of them, for gradients: a constant where it is known, else computed.
ElementShape ItemShapeOf(const Tensor& stacked);
// The shape of one item, likewise.
ElementShape ShapeOfItem(const Tensor& item);
// dy of a list output, or where none arrived, a list of zeros like it.
Tensor ListGradient(const Tensor& dy, const Tensor& output);

}  // namespace tandem
