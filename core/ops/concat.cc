#include "core/ops/concat.h"

#include "core/int_values.h"
#include "core/ops/plumbing.h"
#include "core/ops/reshape.h"
#include "core/ops/shape_value.h"
#include "core/ops/slice.h"
#include "core/symbolic.h"

namespace tandem {
namespace {

absl::Status InferConcat(InferContext& c) {
  const int n = c.num_inputs() - 1;
  ASSIGN_OR_RETURN(auto axis, c.ScalarInt(n));
  if (c.rank(n) > 0) return c.Error("axis must be a scalar, is ", c.input(n).ToString());
  int known = -1;
  for (int i = 0; i < n; ++i) {
    if (c.rank(i) == 0) return c.Error(c.Describe(i), ": scalars cannot be concatenated, only stacked");
    if (c.rank(i) < 0) continue;
    if (known >= 0 && c.rank(i) != c.rank(known)) return c.Error("ranks differ: ", c.Describe(known), ", ", c.Describe(i));
    if (known < 0) known = i;
  }
  if (known < 0) return absl::OkStatus();
  const int rank = c.rank(known);
  int at = -1;
  if (axis) {
    ASSIGN_OR_RETURN(at, c.Axis(*axis, rank));
  }
  Shape out;
  for (int k = 0; k < rank; ++k) {
    if (!axis) {
      out.push_back(kUnknownDim);
      continue;
    }
    int64_t dim = k == at ? 0 : kUnknownDim;
    for (int i = 0, first = -1; i < n; ++i) {
      const int64_t d = c.rank(i) < 0 ? kUnknownDim : c.dim(i, k);
      if (k == at) {
        if (d < 0 || dim < 0) dim = kUnknownDim;
        else if (__builtin_add_overflow(dim, d, &dim)) return c.Error("dimension ", k, " of the output would exceed 2^63 - 1");
      } else if (d >= 0) {
        if (dim >= 0 && d != dim) return c.Error("dimensions differ beside axis ", at, ": ", c.Describe(first, k), ", ", c.Describe(i, k));
        if (dim < 0) first = i;
        dim = d;
      }
    }
    out.push_back(dim);
  }
  RETURN_IF_ERROR(CheckSize(c, out));
  return c.Output(std::move(out));
}

// The sizes of the n values along the axis, where all are known.
std::optional<std::vector<int64_t>> KnownSizes(const Recorded& op, int n, const Tensor& axis) {
  if (!axis.defined()) return std::nullopt;
  const int64_t at = axis.item<int64_t>();
  std::vector<int64_t> sizes;
  for (int i = 0; i < n; ++i) {
    const Shape shape = op.input_shape(i);
    if (!shape.known_rank()) return std::nullopt;
    sizes.push_back(shape[static_cast<int>(at < 0 ? at + shape.rank() : at)]);
    if (sizes.back() < 0) return std::nullopt;
  }
  return sizes;
}

// dy in parts of the inputs' sizes; where a size is not known, in slices that the graph computes.
Tensors ConcatGradient(const Recorded& op, const Tensor& dy) {
  const int n = op.num_inputs() - 1;
  const Tensor axis = KnownValue(op.input(n));
  Tensors dx;
  if (const auto sizes = KnownSizes(op, n, axis)) {
    dx = SplitV(dy, *sizes, axis.item<int>());
  } else {
    Tensors shapes;
    for (int i = 0; i < n; ++i) shapes.push_back(ShapeOfInput(op, i).tensor());
    const Tensors offsets = axis.defined() ? ConcatOffset(axis.item<int>(), shapes) : ConcatOffset(op.input(n), shapes);
    for (int i = 0; i < n; ++i) dx.push_back(Slice(dy, offsets[i], shapes[i]));
  }
  dx.emplace_back();
  return dx;
}

absl::Status InferConcatOffset(InferContext& c) {
  RETURN_IF_ERROR(c.InputOfRank(0, 0).status());
  int64_t length = kUnknownDim;
  for (int i = 1; i < c.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(Shape shape, c.InputOfRank(i, 1));
    if (!Compatible(length, shape[0])) return c.Error("lengths differ: ", c.Describe(1), ", ", c.Describe(i));
    if (shape[0] >= 0) length = shape[0];
  }
  for (int i = 1; i < c.num_inputs(); ++i) RETURN_IF_ERROR(c.Output(i - 1, {length}));
  return absl::OkStatus();
}

absl::Status InferPack(InferContext& c) {
  Shape value = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    auto merged = value.MergedWith(c.input(i));
    if (!merged) return c.Error("shapes differ: ", c.Describe(0), ", ", c.Describe(i));
    value = *std::move(merged);
  }
  if (!value.known_rank()) return absl::OkStatus();
  if (value.rank() >= kMaxRank) return c.Error(c.Describe(0), ", has the largest rank already");
  ASSIGN_OR_RETURN(int at, c.Axis(c.attr<int64_t>("axis"), value.rank() + 1));
  Shape out;
  for (int k = 0; k <= value.rank(); ++k) out.push_back(k == at ? c.num_inputs() : value[k < at ? k : k - 1]);
  RETURN_IF_ERROR(CheckSize(c, out));
  return c.Output(std::move(out));
}

Tensors PackGradient(const Recorded& op, const Tensor& dy) {
  return Unstack(dy, op.attr<int64_t>("axis"), op.num_inputs());
}

absl::Status InferUnpack(InferContext& c) {
  if (c.rank(0) < 0) return absl::OkStatus();
  if (c.rank(0) == 0) return c.Error("value must have rank 1 or more, is []");
  const int64_t num = c.attr<int64_t>("num");
  ASSIGN_OR_RETURN(int at, c.Axis(c.attr<int64_t>("axis"), c.rank(0)));
  if (!Compatible(c.dim(0, at), num)) return c.Error("num is ", num, ", ", c.Describe(0, at));
  Shape out;
  for (int k = 0; k < c.rank(0); ++k)
    if (k != at) out.push_back(c.dim(0, k));
  for (int i = 0; i < c.num_outputs(); ++i) RETURN_IF_ERROR(c.Output(i, out));
  return absl::OkStatus();
}

Tensors UnpackGradient(const Recorded& op, std::span<const Tensor> dy) {
  if (dy.empty()) return {Tensor()};
  return {Stack(Tensors(dy.begin(), dy.end()), op.attr<int64_t>("axis"))};
}

// All outputs have value's shape but along the axis; sizes are asked for when the axis is known.
template <class Size>
absl::Status InferParts(InferContext& c, int value, int axis_input, Size&& size) {
  ASSIGN_OR_RETURN(auto axis, c.ScalarInt(axis_input));
  if (c.rank(value) == 0) return c.Error(c.InputName(value), " must have rank 1 or more, is []");
  if (c.rank(value) < 0) return absl::OkStatus();
  Shape out = c.input(value);
  if (!axis) {
    for (int k = 0; k < out.rank(); ++k) out[k] = kUnknownDim;
    for (int i = 0; i < c.num_outputs(); ++i) RETURN_IF_ERROR(c.Output(i, out));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(int at, c.Axis(*axis, c.rank(value), "split_dim"));
  for (int i = 0; i < c.num_outputs(); ++i) {
    ASSIGN_OR_RETURN(out[at], size(at, i));
    RETURN_IF_ERROR(c.Output(i, out));
  }
  return absl::OkStatus();
}

absl::Status InferSplit(InferContext& c) {
  return InferParts(c, 1, 0, [&](int at, int) -> absl::StatusOr<int64_t> {
    const int64_t num = c.attr<int64_t>("num_split"), dim = c.dim(1, at);
    if (dim < 0) return kUnknownDim;
    if (dim % num != 0) return c.Error("num_split is ", num, ", does not divide ", c.Describe(1, at));
    return dim / num;
  });
}

Tensors SplitGradient(const Recorded& op, std::span<const Tensor> dy) {
  return {Tensor(), Concat(Tensors(dy.begin(), dy.end()), op.input(0))};
}

// The sizes with a -1 replaced by what is left of dim; unknown sizes where dim or the values are unknown.
absl::StatusOr<IntVector> PartSizes(const InferContext& c, int at) {
  const int n = c.num_outputs();
  const auto values = c.IntValues(1);
  if (!values) return IntVector(n, kUnknownDim);
  IntVector sizes = *values;
  int rest = -1;
  int64_t sum = 0;
  for (int i = 0; i < n; ++i) {
    if (sizes[i] < -1) return c.Error("size_splits[", i, "] is ", sizes[i], ", must be at least -1");
    if (sizes[i] == -1) {
      if (rest >= 0) return c.Error("size_splits[", rest, "] and [", i, "] are both -1, only one can be");
      rest = i;
    } else if (__builtin_add_overflow(sum, sizes[i], &sum)) {
      return c.Error("size_splits ", ListText(*values), " add up to more than 2^63 - 1");
    }
  }
  const int64_t dim = c.dim(0, at);
  if (dim < 0) return sizes;
  if (rest < 0 ? sum != dim : sum > dim) return c.Error("size_splits ", ListText(*values), " add up to ", sum, ", ", c.Describe(0, at));
  if (rest >= 0) sizes[rest] = dim - sum;
  return sizes;
}

absl::Status InferSplitV(InferContext& c) {
  ASSIGN_OR_RETURN(Shape vector, c.InputOfRank(1, 1));
  if (!Compatible(vector[0], c.num_outputs())) return c.Error("num_split is ", c.num_outputs(), ", ", c.Describe(1, 0));
  IntVector sizes;
  return InferParts(c, 0, 2, [&](int at, int i) -> absl::StatusOr<int64_t> {
    if (i == 0) {
      ASSIGN_OR_RETURN(sizes, PartSizes(c, at));
    }
    return sizes[i];
  });
}

Tensors SplitVGradient(const Recorded& op, std::span<const Tensor> dy) {
  return {Concat(Tensors(dy.begin(), dy.end()), op.input(2)), Tensor(), Tensor()};
}

}  // namespace

OpSchema ConcatV2Schema() {
  return OpSchema("ConcatV2", "The values joined along an axis.")
      .Signature("values:N*T, axis:Tidx", "output:T", "N:int>=2; T:type; Tidx:type=int32{int32,int64}")
      .Traits(kMayFail)
      .Infer(InferConcat).Gradient(ConcatGradient).GradientReads("axis");
}
OpSchema ConcatOffsetSchema() {
  return OpSchema("ConcatOffset", "Where each of the shapes begins in the concatenation along concat_dim.")
      .Signature("concat_dim:int32, shape:N*shape_type", "offset:N*shape_type", "N:int>=2; shape_type:type=int32{int32,int64}")
      .Traits(kMayFail)
      .KernelType("shape_type")
      .Infer(InferConcatOffset).NotDifferentiable("its values are integers");
}
OpSchema PackSchema() {
  return OpSchema("Pack", "The values, all of one shape, along a new axis.")
      .Signature("values:N*T", "output:T", "N:int>=1; T:type; axis:int=0")
      .Infer(InferPack).Gradient(PackGradient).GradientReads("");
}
OpSchema UnpackSchema() {
  return OpSchema("Unpack", "The slices of value along an axis, which goes.")
      .Signature("value:T", "output:num*T", "num:int>=0; T:type; axis:int=0")
      .Infer(InferUnpack).Gradient(UnpackGradient).GradientReads("");
}
OpSchema SplitSchema() {
  return OpSchema("Split", "value in num_split parts of one size along split_dim.")
      .Signature("split_dim:int32, value:T", "output:num_split*T", "num_split:int>=1; T:type")
      .Traits(kMayFail)
      .KernelType("T")
      .Infer(InferSplit).Gradient(SplitGradient).GradientReads("split_dim");
}
OpSchema SplitVSchema() {
  return OpSchema("SplitV", "value in parts of the sizes size_splits along split_dim; one size may be -1, the rest.")
      .Signature("value:T, size_splits:Tlen, split_dim:int32", "output:num_split*T", "num_split:int>=1; T:type; Tlen:type=int64{int8,int32,int64}")
      .Traits(kMayFail)
      .Infer(InferSplitV).Gradient(SplitVGradient).GradientReads("split_dim");
}

Tensor Concat(const Tensors& values, Operand axis, Origin origin) {
  if (values.size() == 1) return Identity(values[0]);  // ConcatV2 wants two
  Tensors inputs = values;
  inputs.push_back(ToTensor(axis));
  return RunList(Op<"ConcatV2">(), inputs, {}, origin);
}
Tensor Stack(const Tensors& values, int64_t axis, Origin origin) { return RunList(Op<"Pack">(), values, {axis}, origin); }
Tensors Unstack(const Tensor& value, int64_t axis, int64_t num, Origin origin) {
  if (num < 0 && value.rank() > 0 && axis >= -value.rank() && axis < value.rank()) num = value.dim(static_cast<int>(axis));
  if (num < 0 && value.rank() != 0) ThrowError(InvalidArgument("Unpack: num must be given, the axis's size is not known"));
  return RunMany(Op<"Unpack">(), {&value, 1}, {std::max<int64_t>(num, 0), axis}, origin);
}
Tensors Split(const Tensor& value, int64_t num, Operand axis, Origin origin) {
  const Tensor inputs[] = {ToTensor(axis), value};
  return RunMany(Op<"Split">(), inputs, {num}, origin);
}
Tensors SplitV(const Tensor& value, const Ints& sizes, Operand axis, int64_t num, Origin origin) {
  if (num < 0 && sizes.tensor().rank() == 1) num = sizes.tensor().dim(0);
  if (num < 0) ThrowError(InvalidArgument("SplitV: num must be given, the length of sizes is not known"));
  const Tensor inputs[] = {value, sizes.tensor(), ToTensor(axis)};
  return RunMany(Op<"SplitV">(), inputs, {num}, origin);
}
Tensors ConcatOffset(Operand concat_dim, const Tensors& shapes, Origin origin) {
  Tensors inputs = {ToTensor(concat_dim)};
  inputs.insert(inputs.end(), shapes.begin(), shapes.end());
  return RunMany(Op<"ConcatOffset">(), inputs, {}, origin);
}

}  // namespace tandem
