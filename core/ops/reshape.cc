#include "core/ops/reshape.h"

#include <algorithm>

#include "core/int_values.h"
#include "core/ops/shape_value.h"

namespace tandem {
namespace {

absl::Status InferShape(InferContext& c) { return c.Output({c.rank(0) < 0 ? kUnknownDim : c.rank(0)}); }

absl::Status InferReshape(InferContext& c) {
  ASSIGN_OR_RETURN(Shape shape, ShapeFromValue(c, 1, /*minus_one=*/true));
  if (!c.value(1)) return c.Output(std::move(shape));
  const auto have = c.input(0).num_elements();
  int free = -1;
  Shape others = {};
  for (int k = 0; k < shape.rank(); ++k) {
    if (shape[k] >= 0) {
      others.push_back(shape[k]);
      continue;
    }
    if (free >= 0) return c.Error("shape has -1 twice: at ", free, " and ", k);
    free = k;
  }
  const auto product = others.num_elements();
  if (!product) return c.Error("the output ", shape.ToString(), " would have more than 2^63 - 1 elements");
  if (!have) return c.Output(std::move(shape));
  const auto wrong = [&](const char* why) {
    return c.Error(c.Describe(0), " with ", *have, " elements, ", why, ListText(IntValues(*c.value(1))));
  };
  if (free < 0) return *product == *have ? c.Output(std::move(shape)) : wrong("does not fit the shape ");
  // Any size would do for nothing to distribute: 0, as if the others' zero were -1's.
  if (*product == 0) {
    if (*have != 0) return wrong("does not fit the shape ");
    shape[free] = 0;
    return c.Output(std::move(shape));
  }
  if (*have % *product != 0) return wrong("does not divide into the shape ");
  shape[free] = *have / *product;
  return c.Output(std::move(shape));
}

absl::Status InferExpandDims(InferContext& c) {
  ASSIGN_OR_RETURN(auto axis, c.ScalarInt(1));
  if (c.rank(0) < 0) return absl::OkStatus();
  if (c.rank(0) >= kMaxRank) return c.Error(c.Describe(0), ", has the largest rank already");
  Shape out;
  if (!axis) {
    for (int k = 0; k <= c.rank(0); ++k) out.push_back(kUnknownDim);
    return c.Output(std::move(out));
  }
  ASSIGN_OR_RETURN(int at, c.Axis(*axis, c.rank(0) + 1, "dim"));
  for (int k = 0; k <= c.rank(0); ++k) out.push_back(k == at ? 1 : c.dim(0, k < at ? k : k - 1));
  return c.Output(std::move(out));
}

absl::Status InferSqueeze(InferContext& c) {
  if (c.rank(0) < 0) return absl::OkStatus();
  const auto axes = c.attr<std::span<const int64_t>>("squeeze_dims");
  std::vector<bool> drop(c.rank(0), false);
  for (int64_t a : axes) {
    ASSIGN_OR_RETURN(int axis, c.Axis(a, c.rank(0), "squeeze_dims"));
    if (c.dim(0, axis) > 1 || c.dim(0, axis) == 0) return c.Error("cannot drop dimension ", axis, ", which is not 1: ", c.Describe(0, axis));
    drop[axis] = true;
  }
  Shape out;
  for (int k = 0; k < c.rank(0); ++k) {
    if (axes.empty()) {
      if (c.dim(0, k) < 0) return absl::OkStatus();  // it may be 1: even the rank is open
      drop[k] = c.dim(0, k) == 1;
    }
    if (!drop[k]) out.push_back(c.dim(0, k));
  }
  return c.Output(std::move(out));
}

Tensors ReshapeGradient(const Recorded& op, const Tensor& dy) {
  Tensors dx(op.num_inputs());
  dx[0] = Reshape(dy, ShapeOfInput(op, 0));
  return dx;
}

}  // namespace

OpSchema ShapeSchema() {
  return OpSchema("Shape", "The dimensions of the input, a vector.")
      .Signature("input:T", "output:out_type", "T:type; out_type:type=int32{int32,int64}")
      .Traits(kReadsShapes)
      .KernelType("out_type")
      .Infer(InferShape).NotDifferentiable("a shape does not depend on values");
}
OpSchema SizeSchema() {
  return OpSchema("Size", "The number of elements of the input.")
      .Signature("input:T", "output:out_type", "T:type; out_type:type=int32{int32,int64}")
      .Traits(kReadsShapes)
      .KernelType("out_type")
      .Infer(InferScalar).NotDifferentiable("a size does not depend on values");
}
OpSchema RankSchema() {
  return OpSchema("Rank", "The number of dimensions of the input.")
      .Signature("input:T", "output:int32", "T:type")
      .Traits(kReadsShapes)
      .Infer(InferScalar).NotDifferentiable("a rank does not depend on values");
}
OpSchema ReshapeSchema() {
  return OpSchema("Reshape", "The elements of the input, row-major, under another shape; one dimension may be -1.")
      .Signature("tensor:T, shape:Tshape", "output:T", "T:type; Tshape:type=int32{int32,int64}")
      .Traits(kView | kMayFail)
      .Infer(InferReshape).Gradient(ReshapeGradient).GradientReads("");
}
OpSchema ExpandDimsSchema() {
  return OpSchema("ExpandDims", "The input with a dimension of size 1 put in before axis dim.")
      .Signature("input:T, dim:Tdim", "output:T", "T:type; Tdim:type=int32{int32,int64}")
      .Traits(kView | kMayFail)
      .Infer(InferExpandDims).Gradient(ReshapeGradient).GradientReads("");
}
OpSchema SqueezeSchema() {
  return OpSchema("Squeeze", "The input without dimensions of size 1: those named, or all.")
      .Signature("input:T", "output:T", "T:type; squeeze_dims:list(int)>=0=[]")
      .Traits(kView | kMayFail)
      .Infer(InferSqueeze).Gradient(ReshapeGradient).GradientReads("");
}

Tensor ShapeOf(const Tensor& x, DType out_type, Origin origin) { return Run(Op<"Shape">(), {x}, {out_type}, origin); }
Tensor Size(const Tensor& x, DType out_type, Origin origin) { return Run(Op<"Size">(), {x}, {out_type}, origin); }
Tensor Rank(const Tensor& x, Origin origin) { return Run(Op<"Rank">(), {x}, {}, origin); }
Tensor Reshape(const Tensor& x, const Ints& shape, Origin origin) {
  return Run(Op<"Reshape">(), {x, shape.tensor()}, {}, origin);
}
Tensor ExpandDims(const Tensor& x, int64_t axis, Origin origin) {
  return Run(Op<"ExpandDims">(), {x, static_cast<int>(std::clamp<int64_t>(axis, INT32_MIN, INT32_MAX))}, {}, origin);
}
Tensor Squeeze(const Tensor& x, const std::vector<int64_t>& axes, Origin origin) {
  return Run(Op<"Squeeze">(), {x}, {axes}, origin);
}

}  // namespace tandem
