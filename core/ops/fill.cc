#include "core/ops/fill.h"

#include <cmath>

#include "core/int_values.h"
#include "core/ops/reduction.h"
#include "core/ops/reshape.h"
#include "core/ops/shape_value.h"
#include "core/visit.h"

namespace tandem {
namespace {

absl::Status InferFill(InferContext& c) {
  ASSIGN_OR_RETURN(Shape shape, ShapeFromValue(c, 0));
  RETURN_IF_ERROR(c.InputOfRank(1, 0).status());
  return c.Output(std::move(shape));
}

Tensors FillGradient(const Recorded& op, const Tensor& dy) { return {Tensor(), Sum(Reshape(dy, -1), 0)}; }

// How many elements a range of integers has.
template <std::integral T>
absl::StatusOr<int64_t> RangeSize(const InferContext& c, T start, T limit, T delta) {
  const auto text = [&] { return absl::StrCat("start is ", start, ", limit is ", limit, ", delta is ", delta); };
  if (delta == 0) return c.Error("delta must not be 0: ", text());
  if (delta > 0 ? start > limit : start < limit) return c.Error("delta leads away from limit: ", text());
  // In unsigned arithmetic: the distance may exceed the range of the type.
  const uint64_t distance = delta > 0 ? uint64_t(limit) - uint64_t(start) : uint64_t(start) - uint64_t(limit);
  const uint64_t step = delta > 0 ? uint64_t(delta) : -uint64_t(delta);
  const uint64_t n = distance / step + (distance % step != 0);
  if (n > INT64_MAX) return c.Error("more than 2^63 - 1 elements: ", text());
  return static_cast<int64_t>(n);
}

// In the type's own arithmetic, each step rounded, as TensorFlow counts: 0.3f / 0.1f is 3, though not in double.
template <class T>
absl::StatusOr<int64_t> FloatingRangeSize(const InferContext& c, T start, T limit, T delta) {
  const auto number = [](T x) { return static_cast<double>(static_cast<std::conditional_t<std::is_floating_point_v<T>, T, float>>(x)); };
  const auto text = [&] { return absl::StrCat("start is ", number(start), ", limit is ", number(limit), ", delta is ", number(delta)); };
  if (number(delta) == 0) return c.Error("delta must not be 0: ", text());
  if (number(delta) > 0 ? number(start) > number(limit) : number(start) < number(limit)) return c.Error("delta leads away from limit: ", text());
  double steps;
  if constexpr (std::is_floating_point_v<T>) {
    const T distance = limit - start;
    steps = static_cast<T>(distance / delta);
  } else {
    const T distance(float(limit) - float(start));
    steps = float(T(float(distance) / float(delta)));
  }
  const double n = std::ceil(std::abs(steps));
  if (!(n < 0x1p63)) return c.Error("not a countable number of elements: ", text());
  return static_cast<int64_t>(n);
}

absl::Status InferRange(InferContext& c) {
  for (int i = 0; i < 3; ++i) RETURN_IF_ERROR(c.InputOfRank(i, 0).status());
  if (!c.value(0) || !c.value(1) || !c.value(2)) return c.Output({kUnknownDim});
  absl::StatusOr<int64_t> size = 0;
  VisitNumeric(c.dtype(0), [&]<class T>(T) {
    const T v[3] = {*c.value(0)->as<T>(), *c.value(1)->as<T>(), *c.value(2)->as<T>()};
    if constexpr (std::same_as<T, bool> || requires { v[0].real(); }) size = absl::InternalError("Range: no number");
    else if constexpr (std::unsigned_integral<T>) size = RangeSize<uint64_t>(c, v[0], v[1], v[2]);
    else if constexpr (std::integral<T>) size = RangeSize<int64_t>(c, v[0], v[1], v[2]);
    else size = FloatingRangeSize(c, v[0], v[1], v[2]);
  });
  RETURN_IF_ERROR(size.status());
  return c.Output({*size});
}

absl::Status InferOneHot(InferContext& c) {
  ASSIGN_OR_RETURN(Shape depth_shape, c.InputOfRank(1, 0));
  RETURN_IF_ERROR(c.InputOfRank(2, 0).status());
  RETURN_IF_ERROR(c.InputOfRank(3, 0).status());
  int64_t depth = kUnknownDim;
  if (c.value(1)) depth = IntValue(*c.value(1), 0);
  if (c.value(1) && depth < 0) return c.Error("depth is ", depth, ", must not be negative");
  const int64_t axis = c.attr<int64_t>("axis");
  if (axis < -1) return c.Error("axis is ", axis, ", must be at least -1");
  if (c.rank(0) < 0) return absl::OkStatus();
  const int rank = c.rank(0);
  if (axis > rank) return c.Error("axis is ", axis, ", must be in [-1, ", rank, "]: ", c.Describe(0));
  if (rank >= kMaxRank) return c.Error(c.Describe(0), ", has the largest rank already");
  Shape out;
  const int64_t at = axis < 0 ? rank : axis;
  for (int k = 0; k <= rank; ++k) out.push_back(k == at ? depth : c.dim(0, k < at ? k : k - 1));
  RETURN_IF_ERROR(CheckSize(c, out));
  return c.Output(std::move(out));
}

Tensor FilledWith(const Ints& shape, Operand value, DType dtype, Origin origin) {
  return Fill(shape, ToTensor(value, dtype), origin);
}

}  // namespace

OpSchema FillSchema() {
  return OpSchema("Fill", "A tensor of shape dims whose every element is value.")
      .Signature("dims:index_type, value:T", "output:T", "T:type; index_type:type=int32{int32,int64}")
      .Traits(kMayFail)
      .KernelType("T")
      .Infer(InferFill).Gradient(FillGradient).GradientReads("");
}
OpSchema RangeSchema() {
  return OpSchema("Range", "The numbers start + i * delta up to, not including, limit.")
      .Signature("start:Tidx, limit:Tidx, delta:Tidx", "output:Tidx",
                 "Tidx:type=int32{bfloat16,half,float,double,int8,int16,int32,int64,uint16,uint32,uint64}")
      .Traits(kMayFail)
      .Infer(InferRange).NotDifferentiable("the number of elements depends on the inputs");
}
OpSchema OneHotSchema() {
  return OpSchema("OneHot", "on_value where the position along the new axis equals the index, off_value elsewhere.")
      .Signature("indices:TI, depth:int32, on_value:T, off_value:T", "output:T",
                 "axis:int=-1; T:type; TI:type=int64{uint8,int8,int32,int64}")
      .Traits(kMayFail)
      .KernelType("T")
      .Infer(InferOneHot).NotDifferentiable("as in TensorFlow: indices are integers, on_value and off_value are constants");
}

Tensor Fill(const Ints& shape, const Tensor& value, Origin origin) {
  return Run(Op<"Fill">(), {shape.tensor(), value}, {}, origin);
}
Tensor Zeros(const Ints& shape, DType dtype, Origin origin) {
  if (dtype == kString) return Fill(shape, "", origin);
  if (dtype == kBool) return Fill(shape, false, origin);
  return FilledWith(shape, 0, dtype, origin);
}
Tensor Ones(const Ints& shape, DType dtype, Origin origin) {
  if (dtype == kBool) return Fill(shape, true, origin);
  return FilledWith(shape, 1, dtype, origin);
}
Tensor Full(const Ints& shape, Operand value, DType dtype) { return FilledWith(shape, value, dtype, value.origin()); }

Tensor Range(Operand start, Operand limit, Operand delta) {
  return Run(Op<"Range">(), {start, limit, delta}, {}, start.origin());
}
Tensor Range(Operand limit) { return Range(Operand(0, limit.origin()), limit, 1); }

Tensor OneHot(const Tensor& indices, Operand depth, const Tensor& on_value, const Tensor& off_value, OneHotOptions options,
              Origin origin) {
  return Run(Op<"OneHot">(), {indices, depth, on_value, off_value}, {options.axis}, origin);
}

}  // namespace tandem
