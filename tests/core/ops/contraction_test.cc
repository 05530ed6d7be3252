// Products, convolutions, pools and batch normalization, in every mode: values, and the exact text of errors.
#include <catch2/catch.hpp>

#include "tests/op_case.h"

namespace tandem {
namespace {

using namespace op_case;
using List = std::vector<int64_t>;

Tensor Ones(const Shape& shape) {
  return Tensor::FromData<float>(shape, std::vector<float>(static_cast<size_t>(*shape.num_elements()), 1.0f));
}
Tensor Image(const Shape& shape, const std::vector<float>& v) { return Tensor::FromData<float>(shape, v); }

const List kOnes = {1, 1, 1, 1}, kTwos = {1, 2, 2, 1}, kNone = {};

}  // namespace

TEST_CASE("matrix products in every mode") {
  const OpCase cases[] = {
      {"square", "MatMul", {F32({{1, 2}, {3, 4}}), F32({{1, 0}, {0, 1}})}, Want(F32({{1, 2}, {3, 4}}))},
      {"transposed", "MatMul", {F32({{1, 2, 3}}), F32({{4, 5, 6}})}, {{"transpose_b", true}}, Want(Image({1, 1}, {32}))},
      {"empty inner", "MatMul", {ZerosOf({2, 0}), ZerosOf({0, 3})}, Want(ZerosOf({2, 3}))},
      {"float64", "MatMul", {F64({1, 2, 3, 4}, {2, 2}), F64({5, 6, 7, 8}, {2, 2})}, Want(F64({19, 22, 43, 50}, {2, 2}))},
      {"inner dimensions", "MatMul", {ZerosOf({2, 3}), ZerosOf({4, 5})},
       op_case::Error(kInvalidArgument, "MatMul: inner dimensions differ: a is [2,3] (dim 1 = 3), b is [4,5] (dim 0 = 4)")},
      {"vector", "MatMul", {ZerosOf({3}), ZerosOf({3, 2})}, op_case::Error(kInvalidArgument, "MatMul: a must be a matrix, is [3]")},
      {"broadcast batch", "BatchMatMulV2", {Image({2, 1, 2}, {1, 2, 3, 4}), Image({2, 1}, {1, 10})}, Want(Image({2, 1, 1}, {21, 43}))},
      {"batches differ", "BatchMatMulV2", {ZerosOf({2, 3, 4}), ZerosOf({3, 4, 2})},
       op_case::Error(kInvalidArgument, "BatchMatMulV2: batch dimensions do not broadcast: x is [2,3,4], y is [3,4,2]")},
  };
  CheckOpCases(cases);
}

TEST_CASE("convolutions in every mode") {
  const Tensor x = Image({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), w = Image({2, 2, 1, 1}, {1, 10, 100, 1000});
  const auto conv = [](const char* name, Tensors in, List strides, const char* padding, Expected want, List dilations = kOnes, List explicit_paddings = kNone) {
    return OpCase(name, "Conv2D", std::move(in),
                  {{"strides", strides}, {"padding", padding}, {"dilations", dilations}, {"explicit_paddings", explicit_paddings}}, std::move(want));
  };
  const OpCase cases[] = {
      conv("valid", {x, w}, kOnes, "VALID", Want(Image({1, 2, 2, 1}, {5421, 6532, 8754, 9865}))),
      conv("an image without rows, padded", {ZerosOf({1, 0, 2, 1}), Ones({1, 1, 1, 1})}, kOnes, "EXPLICIT", Want(ZerosOf({1, 2, 4, 1})), kOnes, {0, 0, 1, 1, 1, 1, 0, 0}),
      conv("no images", {ZerosOf({0, 28, 28, 1}), Ones({5, 5, 1, 32})}, kOnes, "SAME", Want(ZerosOf({0, 28, 28, 32}))),
      conv("empty filter", {Ones({1, 1, 1, 1}), ZerosOf({1, 0, 1, 1})}, kOnes, "SAME",
           op_case::Error(kInvalidArgument, "Conv2D: filter is [1,0,1,1] (dim 1 = 0), must not be empty")),
      conv("channels", {Ones({1, 4, 4, 3}), Ones({2, 2, 2, 1})}, kOnes, "VALID",
           op_case::Error(kInvalidArgument, "Conv2D: channels differ: input is [1,4,4,3] (dim 3 = 3), filter is [2,2,2,1] (dim 2 = 2)")),
      conv("stride 0", {x, w}, {1, 0, 1, 1}, "VALID", op_case::Error(kInvalidArgument, "Conv2D: strides[1] = 0, must be at least 1")),
      conv("two strides", {x, w}, {1, 1}, "VALID", op_case::Error(kInvalidArgument, "Conv2D: strides has 2 entries, must have 4")),
      conv("dilation 0", {x, w}, kOnes, "VALID", op_case::Error(kInvalidArgument, "Conv2D: dilations[2] = 0, must be at least 1"), {1, 1, 0, 1}),
      {"derivative by the input", "Conv2DBackpropInput", {I32({1, 3, 3, 1}), w, Ones({1, 2, 2, 1})},
       {{"strides", kOnes}, {"padding", "VALID"}}, Want(Image({1, 3, 3, 1}, {1, 11, 10, 101, 1111, 1010, 100, 1100, 1000}))},
      {"derivative by the filter", "Conv2DBackpropFilter", {x, I32({2, 2, 1, 1}), Ones({1, 2, 2, 1})},
       {{"strides", kOnes}, {"padding", "VALID"}}, Want(Image({2, 2, 1, 1}, {12, 16, 24, 28}))},
      {"a wrong gradient", "Conv2DBackpropInput", {I32({1, 4, 4, 1}), w, Ones({1, 4, 3, 1})}, {{"strides", kOnes}, {"padding", "VALID"}},
       op_case::Error(kInvalidArgument, "Conv2DBackpropInput: out_backprop is [1,4,3,1], must be [1,3,3,1]")},
      {"three filter sizes", "Conv2DBackpropFilter", {x, I32({2, 2, 1}), Ones({1, 2, 2, 1})}, {{"strides", kOnes}, {"padding", "VALID"}},
       op_case::Error(kInvalidArgument, "Conv2DBackpropFilter: filter_sizes has 3 entries, must have 4")},
  };
  CheckOpCases(cases);
}

TEST_CASE("pools in every mode") {
  const Tensor x = Image({1, 2, 2, 1}, {1, 2, 3, 2});
  const OpCase cases[] = {
      {"largest", "MaxPool", {x}, {{"ksize", kTwos}, {"strides", kTwos}, {"padding", "VALID"}}, Want(Image({1, 1, 1, 1}, {3}))},
      {"mean", "AvgPool", {x}, {{"ksize", kTwos}, {"strides", kTwos}, {"padding", "VALID"}}, Want(Image({1, 1, 1, 1}, {2}))},
      {"a window beyond the image", "AvgPool", {Ones({1, 1, 1, 1})}, {{"ksize", List{1, 2147483647, 1, 1}}, {"strides", kOnes}, {"padding", "SAME"}},
       Want(Ones({1, 1, 1, 1}))},
      {"negative window", "AvgPool", {Ones({1, 1, 1, 1})}, {{"ksize", List{1, -2147483648, 1, 1}}, {"strides", kOnes}, {"padding", "SAME"}},
       op_case::Error(kInvalidArgument, "AvgPool: ksize[1] = -2147483648, must be at least 1")},
      {"window larger than the image", "MaxPool", {x}, {{"ksize", List{1, 3, 1, 1}}, {"strides", kOnes}, {"padding", "VALID"}},
       op_case::Error(kInvalidArgument, "MaxPool: the window spans 3 cells on axis 1, the padded image has 2")},
      {"first maximum", "MaxPoolGrad", {Image({1, 2, 2, 1}, {1, 3, 3, 2}), Image({1, 1, 1, 1}, {3}), Image({1, 1, 1, 1}, {5})},
       {{"ksize", kTwos}, {"strides", kTwos}, {"padding", "VALID"}}, Want(Image({1, 2, 2, 1}, {0, 5, 0, 0}))},
      {"a gradient of another shape", "MaxPoolGrad", {Ones({1, 1, 1, 1}), Ones({1, 1, 1, 1}), ZerosOf({0, 0, 0, 0})},
       {{"ksize", kOnes}, {"strides", kOnes}, {"padding", "VALID"}}, op_case::Error(kInvalidArgument, "MaxPoolGrad: grad is [0,0,0,0], must be [1,1,1,1]")},
      {"second derivative", "MaxPoolGradGrad", {Image({1, 2, 2, 1}, {1, 3, 3, 2}), Image({1, 1, 1, 1}, {3}), Image({1, 2, 2, 1}, {5, 6, 7, 8})},
       {{"ksize", kTwos}, {"strides", kTwos}, {"padding", "VALID"}}, Want(Image({1, 1, 1, 1}, {6}))},
      {"mean spread", "AvgPoolGrad", {I32({1, 2, 2, 1}), Image({1, 1, 1, 1}, {4})}, {{"ksize", kTwos}, {"strides", kTwos}, {"padding", "VALID"}},
       Want(Ones({1, 2, 2, 1}))},
      {"negative size", "AvgPoolGrad", {I32({-536870912, 1, 1, 1}), Ones({1, 1, 1, 1})}, {{"ksize", kTwos}, {"strides", kTwos}, {"padding", "VALID"}},
       op_case::Error(kInvalidArgument, "AvgPoolGrad: orig_input_shape[0] = -536870912, must be at least 0")},
  };
  CheckOpCases(cases);
}

TEST_CASE("batch normalization in every mode") {
  const Tensor one = Image({1}, {1}), zero = Image({1}, {0});
  const OpCase cases[] = {
      {"inference", "FusedBatchNormV3", {Image({1, 1, 2, 1}, {1, 3}), one, zero, one, Image({1}, {4})}, {{"epsilon", 0.0f}, {"is_training", false}}, Agree()},
      {"too few scales", "FusedBatchNormV3", {ZerosOf({1, 1, 1, 6}), one, one, one, one}, {{"is_training", false}},
       op_case::Error(kInvalidArgument, "FusedBatchNormV3: channels differ: scale is [1] (dim 0 = 1), x is [1,1,1,6] (dim 3 = 6)")},
      {"rank 3", "FusedBatchNormV3", {ZerosOf({2, 3, 2}), one, one, one, one}, {{"is_training", false}},
       op_case::Error(kInvalidArgument, "FusedBatchNormV3: x must be of rank 4, is [2,3,2]")},
  };
  CheckOpCases(cases);
}

}  // namespace tandem
