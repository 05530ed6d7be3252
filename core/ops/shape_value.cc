#include "core/ops/shape_value.h"

#include "core/int_values.h"
#include "core/ops/reshape.h"

namespace tandem {

absl::StatusOr<Shape> ShapeFromValue(const InferContext& c, int i, bool minus_one) {
  ASSIGN_OR_RETURN(Shape vector, c.InputOfRank(i, 1));
  const int64_t rank = vector[0];
  if (rank > kMaxRank) return c.Error(c.InputName(i), " has ", rank, " elements, the largest rank is ", kMaxRank);
  if (rank < 0) return Shape::Unknown();
  const TensorRep* value = c.value(i);
  Shape shape;
  for (int64_t k = 0; k < rank; ++k) {
    const int64_t dim = value ? IntValue(*value, k) : kUnknownDim;
    if (value && dim < (minus_one ? -1 : 0))
      return c.Error(c.InputName(i), "[", k, "] is ", dim, ", must be at least ", minus_one ? -1 : 0);
    shape.push_back(dim);
  }
  if (value) RETURN_IF_ERROR(CheckSize(c, shape));
  return shape;
}

absl::Status CheckSize(const InferContext& c, const Shape& shape) {
  if (shape.fully_known() && !shape.num_elements())
    return c.Error("the output ", shape.ToString(), " would have more than 2^63 - 1 elements");
  return absl::OkStatus();
}

Ints ShapeOfInput(const Recorded& op, int i, DType dtype) {
  const Shape shape = op.input_shape(i);
  if (shape.fully_known()) return shape;
  return ShapeOf(op.input(i), dtype);
}

}  // namespace tandem
