#include "core/gradient.h"
#include "core/ops/arithmetic.h"
#include "core/ops/concat.h"
#include "core/ops/fill.h"
#include "core/ops/likeness.h"
#include "core/ops/reshape.h"
#include "core/ops/slice.h"
#include "core/visit.h"
#include "eager/gradient_tape.h"

namespace tandem {
namespace {

// 1 at one element of a shape, 0 elsewhere.
Tensor UnitOf(DType dtype, const Shape& shape, int64_t element) {
  const Tensor unit = ZerosOfShape(dtype, shape);
  VisitNumeric(dtype, [&]<class T>(T) {
    if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) unit.rep()->as<T>()[element] = T(1.0f);
    else unit.rep()->as<T>()[element] = T(1);
  });
  return unit;
}

void CheckDifferentiable(const char* what, const Tensor& y) {
  if (!IsDifferentiable(y.dtype())) ThrowError(InvalidArgument(what, ": y is ", std::string(DTypeName(y.dtype())), ", which has no gradient"));
}

Shape ShapeOfSource(const Source& x) { return x.variable ? x.shape : x.tensor.shape(); }

// The dimensions of `rows` after its first `skip`, behind those in front: static where they are known.
Tensor ReshapeRows(const Tensor& rows, int skip, const Tensor& front, const Shape& static_front) {
  const Shape shape = rows.shape();
  if (shape.fully_known() && static_front.fully_known()) {
    Shape all = static_front;
    for (int i = skip; i < shape.rank(); ++i) all.push_back(shape[i]);
    return Reshape(rows, all);
  }
  return Reshape(rows, Concat({front, Slice(ShapeOf(rows), {skip}, {-1})}, 0));
}

}  // namespace

Tensors GradientTape::Jacobian(const Tensor& y, const Sources& sources, UnconnectedGradients unconnected) {
  Use use(*this, "Jacobian", {y}, sources);
  CheckDifferentiable("Jacobian", y);
  const Shape shape = y.shape();
  const auto count = shape.num_elements();
  if (!count) ThrowError(InvalidArgument("Jacobian: y is ", shape.ToString(), ": its shape must be known"));

  std::vector<Tensors> rows(sources.size());
  for (int64_t i = 0; i < *count; ++i) {
    Tensors gradients = use.Walk({y}, sources, {.output_gradients = {UnitOf(y.dtype(), shape, i)}}, /*consume=*/false);
    for (size_t s = 0; s < sources.size(); ++s)
      if (gradients[s].defined()) rows[s].push_back(std::move(gradients[s]));
  }
  Tensors jacobians(sources.size());
  for (size_t s = 0; s < sources.size(); ++s) {
    if (!rows[s].empty()) {
      jacobians[s] = ReshapeRows(Stack(rows[s]), 1, Ints(shape).tensor(), shape);
    } else if (unconnected == UnconnectedGradients::kZero || *count == 0) {
      const Shape x = ShapeOfSource(sources[s]);
      if (!x.fully_known()) ThrowError(InvalidArgument("Jacobian: zeros for source ", s, ", which is ", x.ToString(), ": its shape must be known"));
      Shape all = shape;
      for (int64_t d : x) all.push_back(d);
      jacobians[s] = ZerosOfShape(sources[s].dtype, all);
    }
  }
  return jacobians;
}

Tensor GradientTape::BatchJacobian(const Tensor& y, const Source& source, UnconnectedGradients unconnected) {
  const Sources sources = {source};
  Use use(*this, "BatchJacobian", {y}, sources);
  CheckDifferentiable("BatchJacobian", y);
  const Shape shape = y.shape(), x = ShapeOfSource(source);
  if (!shape.known_rank() || shape.rank() < 1 || !x.known_rank() || x.rank() < 1 || (shape[0] >= 0 && x[0] >= 0 && shape[0] != x[0]))
    ThrowError(InvalidArgument("BatchJacobian: y is ", shape.ToString(), ", x is ", x.ToString(), ": both must be batches of one size"));
  Shape row(shape.dims().subspan(1));
  const auto count = row.num_elements();
  if (!count) ThrowError(InvalidArgument("BatchJacobian: y is ", shape.ToString(), ": all dimensions but the first must be known"));

  // All samples at once: dy has ones in one column.
  Tensors columns;
  const Tensor ones = OnesLike(y);
  for (int64_t i = 0; i < *count; ++i) {
    const Tensor dy = ones * UnitOf(y.dtype(), row, i);
    Tensor gradient = std::move(use.Walk({y}, sources, {.output_gradients = {dy}}, /*consume=*/false)[0]);
    if (gradient.defined()) columns.push_back(std::move(gradient));
  }
  Shape all = shape;
  for (int i = 1; i < x.rank(); ++i) all.push_back(x[i]);
  if (columns.empty()) {
    if (unconnected == UnconnectedGradients::kNone && *count > 0) return Tensor();
    if (!all.fully_known()) ThrowError(InvalidArgument("BatchJacobian: zeros of ", all.ToString(), ": the shape must be known"));
    return ZerosOfShape(source.dtype, all);
  }
  return ReshapeRows(Stack(columns, 1), 2, ShapeOf(y), shape);
}

}  // namespace tandem
