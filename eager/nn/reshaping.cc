#include "eager/nn/reshaping.h"

#include <algorithm>
#include <numeric>

#include "core/ints.h"
#include "core/ops/concat.h"
#include "core/ops/pad.h"
#include "core/ops/reshape.h"
#include "core/ops/slice.h"
#include "core/ops/tile.h"
#include "core/ops/transpose.h"
#include "core/status.h"

namespace tandem::nn {

Tensor ReshapeLike(const Tensor& x, const Tensor& like, int leading, std::initializer_list<int64_t> tail) {
  Shape target;
  int unknown = 0;
  for (int i = 0; i < leading; ++i) {
    target.push_back(like.rep()->dims()[i]);
    unknown += target.back() < 0;
  }
  for (const int64_t d : tail) target.push_back(d);
  if (unknown <= 1) return tandem::Reshape(x, target);
  return tandem::Reshape(x, Concat({Slice(ShapeOf(like), {0}, {leading}), Ints(tail).tensor()}, 0));
}

Tensor Flatten::Call(const Tensor& input) {
  if (input.rank() == 2) return input;
  int64_t features = 1;
  for (int i = 1; i < input.rank(); ++i) {
    const int64_t d = input.rep()->dims()[i];
    features = d < 0 || features < 0 ? -1 : features * d;  // known to fit: the tensor exists
  }
  // -1 for the batch when the features are known; else the batch, when that is known; else the shape is computed.
  const int64_t batch = input.rep()->dims()[0];
  if (features > 0) return tandem::Reshape(input, {-1, features});
  if (batch >= 0) return tandem::Reshape(input, {batch, features});
  return tandem::Reshape(input, Concat({Slice(ShapeOf(input), {0}, {1}), Tensor(std::vector<int32_t>{-1})}, 0));
}

Reshape::Reshape(std::vector<int64_t> target, LayerOptions options) : Layer(std::move(options)), target_(std::move(target)) {
  for (size_t i = 0; i < target_.size(); ++i)
    if (target_[i] < -1) Fail(absl::StrCat("target[", i, "] is ", target_[i], ", must be at least -1"));
  if (std::ranges::count(target_, -1) > 1) Fail("only one entry of target may be -1");
  target_.insert(target_.begin(), -1);
  ExpectInput({.min_rank = 1});
}

Tensor Reshape::Call(const Tensor& input) {
  const bool open = std::find(target_.begin() + 1, target_.end(), -1) != target_.end();
  if (!open) {
    // With -1 for the batch a wrong number of features would pass as another batch.
    int64_t features = 1, wanted = 1;
    for (int i = 1; i < input.rank(); ++i) features = features < 0 || input.dim(i) < 0 ? -1 : features * input.dim(i);
    for (size_t i = 1; i < target_.size(); ++i) wanted *= target_[i];
    if (input.rank() >= 0 && features >= 0 && features != wanted)
      Fail(absl::StrCat("input is ", input.shape().ToString(), ", whose examples have ", features, " elements, the target has ", wanted));
    if (wanted != 0) return tandem::Reshape(input, target_);
  }
  if (const int64_t batch = input.rank() > 0 ? input.dim(0) : -1; batch >= 0) {
    std::vector<int64_t> target = target_;
    target[0] = batch;
    return tandem::Reshape(input, target);
  }
  const std::vector<int64_t> tail(target_.begin() + 1, target_.end());
  return tandem::Reshape(input, Concat({Slice(ShapeOf(input), {0}, {1}), Ints(tail).tensor()}, 0));
}

Permute::Permute(std::vector<int64_t> dims, LayerOptions options) : Layer(std::move(options)), perm_(std::move(dims)) {
  std::vector<int64_t> sorted = perm_, want(perm_.size());
  std::ranges::sort(sorted);
  std::iota(want.begin(), want.end(), 1);
  if (sorted != want) Fail(absl::StrCat("dims is ", DimsToString(perm_), ", must be an order of 1 to ", perm_.size()));
  perm_.insert(perm_.begin(), 0);
  ExpectInput({.rank = static_cast<int>(perm_.size())});
}
Tensor Permute::Call(const Tensor& input) { return Transpose(input, perm_); }

RepeatVector::RepeatVector(int64_t n, LayerOptions options) : Layer(std::move(options)), n_(n) {
  if (n < 1) Fail(absl::StrCat("n is ", n, ", must be at least 1"));
  ExpectInput({.rank = 2});
}
Tensor RepeatVector::Call(const Tensor& input) { return Tile(ExpandDims(input, 1), {1, n_, 1}); }

ZeroPadding2D::ZeroPadding2D(std::array<int64_t, 2> padding, LayerOptions options)
    : ZeroPadding2D({padding[0], padding[0]}, {padding[1], padding[1]}, std::move(options)) {}
ZeroPadding2D::ZeroPadding2D(std::array<int64_t, 2> rows, std::array<int64_t, 2> columns, LayerOptions options)
    : Layer(std::move(options)), rows_(rows), columns_(columns) {
  for (const int64_t p : {rows[0], rows[1], columns[0], columns[1]})
    if (p < 0) Fail(absl::StrCat("padding is ", p, ", must be at least 0"));
  ExpectInput({.rank = 4});
}
Tensor ZeroPadding2D::Call(const Tensor& input) {
  return Pad(input, tandem::Reshape(Ints({0, 0, rows_[0], rows_[1], columns_[0], columns_[1], 0, 0}).tensor(), {4, 2}));
}

}  // namespace tandem::nn
