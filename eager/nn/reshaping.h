// Layers that only arrange elements: Flatten, Reshape, Permute, RepeatVector, ZeroPadding2D.
//
//   nn::Flatten()(images);                // [batch, 28, 28, 1] -> [batch, 784]
//   nn::Reshape({28, 28, 1})(rows);       // [batch, 784] -> [batch, 28, 28, 1]
//   nn::Permute({2, 1})(x);               // [batch, a, b] -> [batch, b, a]
//   nn::ZeroPadding2D({1, 1})(images);    // [batch, h, w, c] -> [batch, h + 2, w + 2, c]
#pragma once
#include <array>

#include "core/export.h"
#include "eager/nn/layer.h"

TANDEM_EXPORT_BEGIN
namespace tandem::nn {

class Flatten : public Layer {
 public:
  explicit Flatten(LayerOptions options = {}) : Layer(std::move(options)) { ExpectInput({.min_rank = 1}); }
  Tensor Call(const Tensor& input) override;
};

// One entry may be -1, which the others decide. INVALID_ARGUMENT for two of them, or an entry below -1.
class Reshape : public Layer {
 public:
  explicit Reshape(std::vector<int64_t> target, LayerOptions options = {});
  Tensor Call(const Tensor& input) override;

 private:
  std::vector<int64_t> target_;  // with -1 for the batch
};

// Axes are numbered from 1, the batch stays. INVALID_ARGUMENT unless dims names each axis once.
class Permute : public Layer {
 public:
  explicit Permute(std::vector<int64_t> dims, LayerOptions options = {});
  Tensor Call(const Tensor& input) override;

 private:
  std::vector<int64_t> perm_;
};

// [batch, features] -> [batch, n, features]
class RepeatVector : public Layer {
 public:
  explicit RepeatVector(int64_t n, LayerOptions options = {});
  Tensor Call(const Tensor& input) override;

 private:
  int64_t n_;
};

// Rows of zeros above and below, columns left and right.
class ZeroPadding2D : public Layer {
 public:
  explicit ZeroPadding2D(std::array<int64_t, 2> padding = {1, 1}, LayerOptions options = {});
  ZeroPadding2D(std::array<int64_t, 2> rows, std::array<int64_t, 2> columns, LayerOptions options = {});
  Tensor Call(const Tensor& input) override;

 private:
  std::array<int64_t, 2> rows_, columns_;
};

// x with the first `leading` dimensions of `like`, then those of tail; dimensions nobody knows are computed.
Tensor ReshapeLike(const Tensor& x, const Tensor& like, int leading, std::initializer_list<int64_t> tail);

}  // namespace tandem::nn
TANDEM_EXPORT_END
