#include "core/ops/tile.h"

#include "core/int_values.h"
#include "core/ops/concat.h"
#include "core/ops/reduction.h"
#include "core/ops/reshape.h"
#include "core/ops/shape_value.h"
#include "core/symbolic.h"

namespace tandem {
namespace {

absl::Status InferBroadcastTo(InferContext& c) {
  ASSIGN_OR_RETURN(Shape shape, ShapeFromValue(c, 1));
  if (!shape.known_rank() || c.rank(0) < 0) return c.Output(std::move(shape));
  const int shift = shape.rank() - c.rank(0);
  bool fits = shift >= 0;
  for (int k = 0; fits && k < c.rank(0); ++k) fits = c.dim(0, k) == 1 || Compatible(c.dim(0, k), shape[shift + k]);
  if (!fits) return c.Error(c.Describe(0), ", does not broadcast to ", shape.ToString());
  return c.Output(std::move(shape));
}

Tensors BroadcastToGradient(const Recorded& op, const Tensor& dy) { return {ReduceToInput(op, 0, dy), Tensor()}; }

absl::Status InferTile(InferContext& c) {
  ASSIGN_OR_RETURN(Shape multiples, c.InputOfRank(1, 1));
  if (c.rank(0) < 0) {
    if (multiples[0] > kMaxRank) return c.Error("multiples has ", multiples[0], " elements, the largest rank is ", kMaxRank);
    Shape out;
    for (int64_t k = 0; k < multiples[0]; ++k) out.push_back(kUnknownDim);
    return multiples[0] < 0 ? absl::OkStatus() : c.Output(std::move(out));
  }
  if (multiples[0] >= 0 && multiples[0] != c.rank(0))
    return c.Error("multiples has ", multiples[0], " elements, ", c.Describe(0));
  Shape out;
  for (int k = 0; k < c.rank(0); ++k) {
    if (!c.value(1)) {
      out.push_back(kUnknownDim);
      continue;
    }
    const int64_t m = IntValue(*c.value(1), k);
    if (m < 0) return c.Error("multiples[", k, "] is ", m, ", must not be negative");
    if (c.dim(0, k) < 0) {
      out.push_back(kUnknownDim);
      continue;
    }
    const auto size = CheckedMultiply(c.dim(0, k), m);
    if (!size) return c.Error("multiples[", k, "] is ", m, ", too large: ", c.Describe(0, k));
    out.push_back(*size);
  }
  RETURN_IF_ERROR(CheckSize(c, out));
  return c.Output(std::move(out));
}

// dy as [m0, d0, m1, d1, …], summed over the copies m.
Tensors TileGradient(const Recorded& op, const Tensor& dy) {
  const Tensor multiples = KnownValue(op.input(1));
  const Shape shape = op.input_shape(0);
  if (!shape.known_rank()) ThrowError(InvalidArgument("the rank of input is not known"));
  std::vector<int> axes;
  for (int k = 0; k < shape.rank(); ++k) axes.push_back(2 * k);
  Ints split;
  if (multiples.defined() && shape.fully_known()) {
    std::vector<int64_t> dims;
    for (int k = 0; k < shape.rank(); ++k) dims.insert(dims.end(), {IntValue(*multiples.rep(), k), shape[k]});
    split = dims;
  } else {
    const Tensor& m = op.input(1);
    split = Reshape(Stack({m, ShapeOfInput(op, 0, m.dtype()).tensor()}, 1), -1);
  }
  return {Sum(Reshape(dy, split), axes), Tensor()};
}

}  // namespace

OpSchema BroadcastToSchema() {
  return OpSchema("BroadcastTo", "The input under a shape that it broadcasts to.")
      .Signature("input:T, shape:Tidx", "output:T", "T:type; Tidx:type=int32{int32,int64}")
      .Traits(kMayFail)
      .Infer(InferBroadcastTo).Gradient(BroadcastToGradient).GradientReads("");
}
OpSchema TileSchema() {
  return OpSchema("Tile", "The input repeated along each axis.")
      .Signature("input:T, multiples:Tmultiples", "output:T", "T:type; Tmultiples:type=int32{int32,int64}")
      .Traits(kMayFail)
      .Infer(InferTile).Gradient(TileGradient).GradientReads("multiples");
}

Tensor BroadcastTo(const Tensor& x, const Ints& shape, Origin origin) {
  return Run(Op<"BroadcastTo">(), {x, shape.tensor()}, {}, origin);
}
Tensor Tile(const Tensor& x, const Ints& multiples, Origin origin) {
  return Run(Op<"Tile">(), {x, multiples.tensor()}, {}, origin);
}

}  // namespace tandem
