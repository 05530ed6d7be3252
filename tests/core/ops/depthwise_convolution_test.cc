#include "core/ops/depthwise_convolution.h"

#include <catch2/catch.hpp>

#include "tests/op_case.h"
#include "tests/thrown.h"

namespace tandem::op_case {
namespace {

Tensor Image64(const Shape& shape) {
  std::vector<double> v(static_cast<size_t>(*shape.num_elements()));
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<double>((i * 7 + 3) % 11) / 5 - 1;
  return F64(v, shape);
}
OpCase::Attr Strides(int64_t h, int64_t w) { return {"strides", std::vector<int64_t>{1, h, w, 1}}; }

const OpCase kCases[] = {
    {"two filters a channel", "DepthwiseConv2dNative", {Image64({1, 1, 2, 2}), F64({1, 10, 100, 1000}, {1, 1, 2, 2})},
     {Strides(1, 1), {"padding", std::string("VALID")}},
     Want(F64({-.4, -4, 100, 1000, .2, 2, -60, -600}, {1, 1, 2, 4}))},
    {"strided", "DepthwiseConv2dNative", {Image64({2, 4, 5, 3}), Image64({3, 2, 3, 2})}, {Strides(2, 2), {"padding", std::string("SAME")}}, Agree()},
    {"backprop input", "DepthwiseConv2dNativeBackpropInput", {I32({2, 4, 5, 2}), Image64({2, 2, 2, 2}), Image64({2, 3, 4, 4})},
     {Strides(1, 1), {"padding", std::string("VALID")}}, Agree()},
    {"backprop filter", "DepthwiseConv2dNativeBackpropFilter", {Image64({2, 4, 5, 2}), I32({2, 2, 2, 2}), Image64({2, 3, 4, 4})},
     {Strides(1, 1), {"padding", std::string("VALID")}}, Agree()},
    {"channels differ", "DepthwiseConv2dNative", {ZerosOf({1, 4, 4, 3}), ZerosOf({2, 2, 2, 1})}, {Strides(1, 1), {"padding", std::string("VALID")}},
     Error(kInvalidArgument, "DepthwiseConv2dNative: channels differ: input is [1,4,4,3] (dim 3 = 3), filter is [2,2,2,1] (dim 2 = 2)")},
    {"too large", "DepthwiseConv2dNative", {ZerosOf({1, 2, 2, 1}), ZerosOf({3, 3, 1, 1})}, {Strides(1, 1), {"padding", std::string("VALID")}},
     Error(kInvalidArgument, "DepthwiseConv2dNative: the filter spans more cells than the padded image has on axis 1: input is [1,2,2,1], filter is [3,3,1,1]")},
    {"backprop input size", "DepthwiseConv2dNativeBackpropInput", {I32({1, 4, 4, 1}), ZerosOf({2, 2, 1, 1}), ZerosOf({1, 2, 2, 1})},
     {Strides(1, 1), {"padding", std::string("VALID")}},
     Error(kInvalidArgument, "DepthwiseConv2dNativeBackpropInput: out_backprop is [1,2,2,1], must be [1,3,3,1]")},
    {"backprop filter size", "DepthwiseConv2dNativeBackpropFilter", {ZerosOf({1, 4, 4, 1}), I32({2, 2, 1}), ZerosOf({1, 3, 3, 1})},
     {Strides(1, 1), {"padding", std::string("VALID")}},
     Error(kInvalidArgument, "DepthwiseConv2dNativeBackpropFilter: filter_sizes has 3 entries, must have 4")},
};

}  // namespace

TEST_CASE("depthwise convolutions") { CheckOpCases(kCases); }

TEST_CASE("a filter of unknown size takes nothing for granted") {
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, {-1, 8, 8, 6}), w = Placeholder(kFloat32, {3, 3, -1, -1});
  CHECK(DepthwiseConv2D(x, w).shape() == Shape{-1, 6, 6, -1});
  CHECK(Conv2D(x, Placeholder(kFloat32, {3, 3, 2, -1})).shape() == Shape{-1, 6, 6, -1});
}

}  // namespace tandem::op_case
