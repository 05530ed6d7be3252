#include "core/ops/slice.h"

#include "core/ops/math.h"
#include "core/ops/reshape.h"
#include "core/ops/shape_value.h"
#include "core/strided_slice.h"

namespace tandem {
namespace {

absl::Status InferSlice(InferContext& c) {
  ASSIGN_OR_RETURN(Shape begin, c.InputOfRank(1, 1));
  ASSIGN_OR_RETURN(Shape size, c.InputOfRank(2, 1));
  if (!Compatible(begin[0], size[0])) return c.Differ("lengths", 1, 0, 2, 0);
  const int64_t entries = begin[0] >= 0 ? begin[0] : size[0];
  if (entries > kMaxRank) return c.Error(c.Describe(1), ", the largest rank is ", kMaxRank);
  if (c.rank(0) >= 0 && entries >= 0 && entries != c.rank(0)) return c.Error("begin has ", entries, " elements, ", c.Describe(0));
  const int rank = c.rank(0) >= 0 ? c.rank(0) : static_cast<int>(entries);
  if (rank < 0) return absl::OkStatus();
  Shape out;
  for (int k = 0; k < rank; ++k) {
    const int64_t dim = c.rank(0) < 0 ? kUnknownDim : c.dim(0, k);
    const int64_t from = c.value(1) ? IntValue(*c.value(1), k) : kUnknownDim;
    int64_t n = c.value(2) ? IntValue(*c.value(2), k) : kUnknownDim;
    if (c.value(1) && (from < 0 || (dim >= 0 && from > dim)))
      return c.Error("begin[", k, "] is ", from, ", must be in [0, ", dim < 0 ? "?" : std::to_string(dim), "]: ", c.Describe(0));
    if (c.value(2) && n < -1) return c.Error("size[", k, "] is ", n, ", must be at least -1");
    if (c.value(1) && n >= 0 && dim >= 0 && n > dim - from)
      return c.Error("size[", k, "] is ", n, ", but ", dim - from, " elements follow begin[", k, "] = ", from, ": ", c.Describe(0));
    if (n < 0) n = c.value(1) && c.value(2) && dim >= 0 ? dim - from : kUnknownDim;
    out.push_back(n);
  }
  return c.Output(std::move(out));
}

// dy between begin and begin + its own shape.
Tensors SliceGradient(const Recorded& op, const Tensor& dy) {
  const Tensor& begin = op.input(1);
  const Tensor end = begin + ShapeOf(dy, begin.dtype());
  return {StridedSliceGrad(ShapeOfInput(op, 0, begin.dtype()), begin, end, Tensor(), dy), Tensor(), Tensor()};
}

template <class C>
StridedSliceMasks Masks(const C& c) {
  return {c.template attr<int64_t>("begin_mask"), c.template attr<int64_t>("end_mask"), c.template attr<int64_t>("ellipsis_mask"),
          c.template attr<int64_t>("new_axis_mask"), c.template attr<int64_t>("shrink_axis_mask")};
}

// The spec of a slice of `input`, whose begin, end and strides are inputs first, first + 1 and first + 2; nothing when
// too little is known.
absl::StatusOr<std::optional<StridedSliceSpec>> Decode(const InferContext& c, const Shape& input, int first) {
  int64_t entries = kUnknownDim;
  for (int i = first; i < first + 3; ++i) {
    ASSIGN_OR_RETURN(Shape vector, c.InputOfRank(i, 1));
    if (!Compatible(entries, vector[0])) return c.Differ("lengths", first, 0, i, 0);
    if (vector[0] >= 0) entries = vector[0];
  }
  if (!input.known_rank() || entries < 0) return std::optional<StridedSliceSpec>();
  const auto begin = c.IntValues(first), end = c.IntValues(first + 1), strides = c.IntValues(first + 2);
  const auto data = [](const auto& values) { return values ? values->data() : nullptr; };
  ASSIGN_OR_RETURN(StridedSliceSpec spec,
                   DecodeStridedSlice(c.schema().name(), input, entries, data(begin), data(end), data(strides), Masks(c)));
  return std::optional<StridedSliceSpec>(std::move(spec));
}

absl::Status InferStridedSlice(InferContext& c) {
  ASSIGN_OR_RETURN(auto spec, Decode(c, c.input(0), 1));
  return c.Output(spec ? spec->output : Shape::Unknown());
}

absl::Status InferStridedSliceGrad(InferContext& c) {
  ASSIGN_OR_RETURN(Shape shape, ShapeFromValue(c, 0));
  ASSIGN_OR_RETURN(auto spec, Decode(c, shape, 1));
  if (spec && !spec->output.CompatibleWith(c.input(4)))
    return c.Error(c.Describe(4), ", must be ", spec->output.ToString(), ", the slice of ", shape.ToString());
  return c.Output(std::move(shape));
}

StridedSliceOptions Options(const Recorded& op) {
  const StridedSliceMasks m = Masks(op);
  return {m.begin, m.end, m.ellipsis, m.new_axis, m.shrink_axis};
}

// StridedSliceGrad takes no int16: such values are read, eagerly, or refused.
Ints Widened(const Tensor& t) { return t.dtype() == kInt16 ? Ints(t.ToVector<int32_t>()) : Ints(t); }

Tensors StridedSliceGradient(const Recorded& op, const Tensor& dy) {
  const Ints begin = Widened(op.input(1));
  return {StridedSliceGrad(ShapeOfInput(op, 0, begin.tensor().dtype()), begin, Widened(op.input(2)), Widened(op.input(3)), dy, Options(op)),
          Tensor(), Tensor(), Tensor()};
}

Tensors StridedSliceGradGradient(const Recorded& op, const Tensor& dy) {
  return {Tensor(), Tensor(), Tensor(), Tensor(), StridedSlice(dy, op.input(1), op.input(2), op.input(3), Options(op))};
}

// Left out, strides are ones.
Ints OrOnes(const Ints& strides, const Ints& begin) {
  if (strides.tensor().defined()) return strides;
  const Shape shape = begin.tensor().shape();
  if (!shape.fully_known()) ThrowError(InvalidArgument("StridedSlice: strides must be given, the length of begin is not known"));
  return std::vector<int64_t>(shape.num_elements().value_or(0), 1);
}

constexpr const char* kMasks =
    "begin_mask:int=0; end_mask:int=0; ellipsis_mask:int=0; new_axis_mask:int=0; shrink_axis_mask:int=0";

}  // namespace

OpSchema SliceSchema() {
  return OpSchema("Slice", "size[k] elements of each axis k from begin[k] on; size -1 takes all that follow.")
      .Signature("input:T, begin:Index, size:Index", "output:T", "T:type; Index:type{int32,int64}")
      .Traits(kAlias | kMayFail)
      .Infer(InferSlice).Gradient(SliceGradient).GradientReads("begin");
}
OpSchema StridedSliceSchema() {
  return OpSchema("StridedSlice", "Every strides[i]th element from begin[i] to before end[i], as Python slices; masks say what an entry stands for.")
      .Signature("input:T, begin:Index, end:Index, strides:Index", "output:T", absl::StrCat("T:type; Index:type{int16,int32,int64}; ", kMasks))
      .Traits(kMayFail)
      .Infer(InferStridedSlice).Gradient(StridedSliceGradient).GradientReads("begin, end, strides");
}
OpSchema StridedSliceGradSchema() {
  return OpSchema("StridedSliceGrad", "dy where StridedSlice of a tensor of that shape would take elements, zeros elsewhere.")
      .Signature("shape:Index, begin:Index, end:Index, strides:Index, dy:T", "output:T", absl::StrCat("T:type; Index:type{int32,int64}; ", kMasks))
      .Traits(kMayFail)
      .KernelType("T")
      .Infer(InferStridedSliceGrad).Gradient(StridedSliceGradGradient).GradientReads("begin, end, strides");
}

Tensor Slice(const Tensor& x, const Ints& begin, const Ints& size, Origin origin) {
  const auto same = SameIntType({&begin, &size});
  return Run(Op<"Slice">(), {x, same[0], same[1]}, {}, origin);
}

Tensor StridedSlice(const Tensor& x, const Ints& begin, const Ints& end, const Ints& strides, StridedSliceOptions o, Origin origin) {
  const Ints steps = OrOnes(strides, begin);
  const auto same = SameIntType({&begin, &end, &steps});
  return Run(Op<"StridedSlice">(), {x, same[0], same[1], same[2]},
             {o.begin_mask, o.end_mask, o.ellipsis_mask, o.new_axis_mask, o.shrink_axis_mask}, origin);
}

Tensor StridedSliceGrad(const Ints& shape, const Ints& begin, const Ints& end, const Ints& strides, const Tensor& dy,
                        StridedSliceOptions o, Origin origin) {
  const Ints steps = OrOnes(strides, begin);
  const auto same = SameIntType({&shape, &begin, &end, &steps});
  return Run(Op<"StridedSliceGrad">(), {same[0], same[1], same[2], same[3], dy},
             {o.begin_mask, o.end_mask, o.ellipsis_mask, o.new_axis_mask, o.shrink_axis_mask}, origin);
}

}  // namespace tandem
