// Pools over sequences and images, channels last.
//
//   nn::MaxPooling2D()(images);                                 // [n,h,w,c] -> [n,h/2,w/2,c]
//   nn::AveragePooling1D(3, {.strides = 1, .padding = "SAME"});
//   nn::GlobalAveragePooling2D()(images);                       // [n,h,w,c] -> [n,c]
//
// strides are those of the pool when left out. INVALID_ARGUMENT, when the layer is made: sizes below 1, a padding that is
// neither "VALID" nor "SAME".
#pragma once
#include "core/export.h"
#include "core/ops/pooling.h"
#include "eager/nn/convolutional.h"
#include "eager/nn/layer.h"

TANDEM_EXPORT_BEGIN
namespace tandem::nn {

struct PoolingOptions {
  std::optional<Size2D> strides = std::nullopt;
  std::string padding = "VALID";
  std::string name = {};
};

class PoolingBase : public Layer {
 protected:
  PoolingBase(const char* class_name, int rank, Size2D pool_size, PoolingOptions options);
  tandem::PoolOptions op_;
};

class MaxPooling1D : public PoolingBase {
 public:
  explicit MaxPooling1D(int64_t pool_size = 2, PoolingOptions options = {}) : PoolingBase("MaxPooling1D", 1, pool_size, std::move(options)) {}
  Tensor Call(const Tensor& input) override;
};
class MaxPooling2D : public PoolingBase {
 public:
  explicit MaxPooling2D(Size2D pool_size = 2, PoolingOptions options = {}) : PoolingBase("MaxPooling2D", 2, pool_size, std::move(options)) {}
  Tensor Call(const Tensor& input) override;
};
class AveragePooling1D : public PoolingBase {
 public:
  explicit AveragePooling1D(int64_t pool_size = 2, PoolingOptions options = {}) : PoolingBase("AveragePooling1D", 1, pool_size, std::move(options)) {}
  Tensor Call(const Tensor& input) override;
};
class AveragePooling2D : public PoolingBase {
 public:
  explicit AveragePooling2D(Size2D pool_size = 2, PoolingOptions options = {}) : PoolingBase("AveragePooling2D", 2, pool_size, std::move(options)) {}
  Tensor Call(const Tensor& input) override;
};
using MaxPool1D = MaxPooling1D;
using MaxPool2D = MaxPooling2D;
using AvgPool1D = AveragePooling1D;
using AvgPool2D = AveragePooling2D;

struct GlobalPoolingOptions {
  bool keep_dims = false;  // [n,1,1,c]
  std::string name = {};
};

// Over all steps or pixels. An average over steps leaves out those that a mask leaves out.
class GlobalPoolingBase : public Layer {
 protected:
  GlobalPoolingBase(int rank, GlobalPoolingOptions options);
  Tensor axes_;
  bool keep_dims_;
};
class GlobalMaxPooling1D : public GlobalPoolingBase {
 public:
  explicit GlobalMaxPooling1D(GlobalPoolingOptions options = {}) : GlobalPoolingBase(1, std::move(options)) {}
  Tensor Call(const Tensor& input) override;
};
class GlobalMaxPooling2D : public GlobalPoolingBase {
 public:
  explicit GlobalMaxPooling2D(GlobalPoolingOptions options = {}) : GlobalPoolingBase(2, std::move(options)) {}
  Tensor Call(const Tensor& input) override;
};
class GlobalAveragePooling1D : public GlobalPoolingBase {
 public:
  explicit GlobalAveragePooling1D(GlobalPoolingOptions options = {}) : GlobalPoolingBase(1, std::move(options)) {}
  Tensor Call(const Tensor& input) override;
};
class GlobalAveragePooling2D : public GlobalPoolingBase {
 public:
  explicit GlobalAveragePooling2D(GlobalPoolingOptions options = {}) : GlobalPoolingBase(2, std::move(options)) {}
  Tensor Call(const Tensor& input) override;
};

}  // namespace tandem::nn
TANDEM_EXPORT_END
