#include "core/gradient.h"

#include <cstring>
#include <optional>

#include "core/kernel.h"
#include "core/ops/likeness.h"
#include "core/ops/broadcast_gradient.h"
#include "core/ops/likeness.h"
#include "core/ops/reduction.h"
#include "core/ops/reshape.h"
#include "core/ops/shape_value.h"

namespace tandem {
namespace {

Tensor ZerosLikeOutput(const Recorded& op, int i) {
  const Tensor& like = op.output(i);
  if (like.symbolic() && !like.shape().fully_known()) return ZerosLike(like);  // the graph knows when it runs
  return ZerosOfShape(like.dtype(), like.shape());
}

// Ops that call functions differentiate what has a gradient, and nothing else.
bool HasFunctions(const OpSchema& schema) {
  for (const OpAttr& attr : schema.attrs())
    if (attr.kind == AttrKind::kFunc || attr.kind == AttrKind::kFuncList) return true;
  return false;
}

}  // namespace

Tensor ZerosOfShape(DType dtype, const Shape& shape) {
  const auto count = shape.num_elements();
  if (!count) ThrowError(InvalidArgument("zeros: the shape ", shape.ToString(), " is not known"));
  TensorRep* rep = NewRep(dtype, shape.dims(), *count);
  if (!rep) ThrowError(OutOfMemoryError("zeros", dtype, shape.dims()));
  std::memset(rep->data, 0, rep->count ? static_cast<size_t>(rep->bytes()) : 0);
  return Tensor::Adopt(rep);
}

const Tensor& Recorded::FillStub(const Tensor& slot, const TensorInfo& info) {
  TensorRep* stub = NewSymbolic(info.dtype, Shape({info.dims, info.rank}), {nullptr, 0, 0});
  if (!stub) ThrowError(absl::ResourceExhaustedError("out of memory"));
  return const_cast<Tensor&>(slot) = Tensor::Adopt(stub);
}

absl::StatusOr<Tensors> CallGradient(const Recorded& recorded, std::span<const Tensor> dy) {
  Recorded op = recorded;
  const OpSchema& schema = op.schema();
  Tensors dx;
  try {
    absl::InlinedVector<Tensor, 4> filled;
    if (dy.size() > 1 && !HasFunctions(schema)) {
      filled.assign(dy.begin(), dy.end());
      op.arrived_ = dy;
      for (size_t i = 0; i < filled.size(); ++i)
        if (!filled[i].defined() && IsDifferentiable(op.output(static_cast<int>(i)).dtype())) filled[i] = ZerosLikeOutput(op, static_cast<int>(i));
      dy = {filled.data(), filled.size()};
    }
    dx = schema.single_gradient() ? schema.single_gradient()(op, dy[0]) : schema.gradient()(op, dy);
  } catch (...) {
    absl::Status status = StatusFromException(std::current_exception());
    const std::string at = op.origin().ToString();
    return absl::Status(status.code(), absl::StrCat(status.message(), " (in the gradient of ", schema.name(), at.empty() ? "" : " at ", at, ")"));
  }
  if (static_cast<int>(dx.size()) != op.num_inputs())
    return absl::InternalError(absl::StrCat("the gradient of ", schema.name(), " gave ", dx.size(), " tensors for ", op.num_inputs(), " inputs"));
  return dx;
}

namespace {

// The axes of the output along which input i was broadcast, where static shapes say so; nothing where only the run can.
std::optional<std::vector<int32_t>> StaticReductionAxes(const Recorded& op, int i, const Shape& out) {
  const Shape in = op.input_shape(i);
  if (!in.known_rank() || !out.known_rank()) return std::nullopt;
  // A dimension that no other operand can have widened is the output's own.
  const auto only_own = [&](int from_end) {
    for (int k = 0; k < op.num_inputs(); ++k) {
      if (k == i || op.input(k).rep() == op.input(i).rep()) continue;
      const Shape other = op.input_shape(k);
      if (!other.known_rank() || (other.rank() >= from_end && other[other.rank() - from_end] != 1)) return false;
    }
    return true;
  };
  std::vector<int32_t> axes;
  for (int axis = 0; axis < out.rank(); ++axis) {
    const int from_end = out.rank() - axis;
    if (in.rank() < from_end) {
      axes.push_back(axis);
      continue;
    }
    const int64_t d = in[in.rank() - from_end];
    if (d > 1 || d == 0 || out[axis] == 1 ) continue;
    if (d == 1) axes.push_back(axis);
    else if (!only_own(from_end)) return std::nullopt;
  }
  return axes;
}

// Whether the tensor's shape is this one, which is fully known.
bool HasShape(const TensorRep& rep, const Shape& shape) {
  if (rep.rank == kUnknownRank || shape.rank() != rep.rank) return false;
  for (int d = 0; d < rep.rank; ++d)
    if (shape[d] < 0 || shape[d] != rep.dims()[d]) return false;
  return true;
}

}  // namespace

Tensor ReduceToInput(const Recorded& op, int i, const Tensor& dy) {
  const Shape in = op.input_shape(i);
  if (HasShape(*dy.rep(), in)) return dy;
  const Shape out = dy.shape();
  if (const auto axes = StaticReductionAxes(op, i, out)) {
    if (axes->empty()) return dy;
    const Tensor sum = Sum(dy, Tensor(*axes));
    return in.fully_known() && sum.shape() == in ? sum : Reshape(sum, ShapeOfInput(op, i));
  }
  const Tensor shape = ShapeOf(op.input(i));
  return Reshape(Sum(dy, ReductionAxes(shape, ShapeOf(dy))), shape);
}

}  // namespace tandem
