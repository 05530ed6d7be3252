#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "core/context.h"
#include "core/epilogues.h"
#include "core/tensor_compare.h"
#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

Tensor Random(const Shape& shape, int seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<size_t>(*shape.num_elements()));
  for (float& v : values) v = normal(generator);
  return Tensor::FromData<float>(shape, values);
}

using Names = std::vector<std::string>;

Tensor FusedMatMul(const Tensors& inputs, MatMulOptions o, const Names& ops, float alpha = 0.2f) {
  return RunList(Op<"FusedMatMul">(), inputs, {o.transpose_a, o.transpose_b, std::span<const std::string>(ops), 1e-4f, alpha});
}

Tensor FusedConv2D(const Tensors& inputs, const Conv2DOptions& o, const Names& ops) {
  using List = std::span<const int64_t>;
  return RunList(Op<"FusedConv2D">(), inputs,
                 {List(o.strides), o.padding, List(), o.data_format, List(o.dilations), true, std::span<const std::string>(ops), 1e-4f, 0.2f});
}

constexpr int kSizes[][3] = {{1, 1, 1}, {2, 3, 4}, {7, 100, 33}, {64, 784, 10}, {33, 65, 129}, {300, 20, 5}};

}  // namespace

TEST_CASE("a fused product has the bits of its parts") {
  for (const auto& [m, k, n] : kSizes) {
    const Tensor a = Random({m, k}, 1), b = Random({k, n}, 2), bias = Random({n}, 3), residual = Random({m, n}, 4);
    const Tensor sum = Add(Add(MatMul(a, b), bias), residual);
    CHECK(DifferentBits(FusedMatMul({a, b, bias}, {}, {"BiasAdd"}), Add(MatMul(a, b), bias)) == "");
    CHECK(DifferentBits(FusedMatMul({a, b, bias, residual}, {}, {"BiasAdd", "Add"}), sum) == "");
    for (const char* op : {"Relu", "Tanh", "Sigmoid", "Elu"}) {
      CAPTURE(op, m, k, n);
      REQUIRE(EpilogueIsExact(Contraction::kMatMul, op, kFloat32));
      const Tensor want = RunList(FindOp(op), std::vector<Tensor>{sum});
      CHECK(DifferentBits(FusedMatMul({a, b, bias, residual}, {}, {"BiasAdd", "Add", op}), want) == "");
    }
  }
}

TEST_CASE("a fused convolution has the bits of its parts") {
  const Tensor x = Random({2, 9, 8, 5}, 1), w = Random({3, 3, 5, 7}, 2), bias = Random({7}, 3);
  const Conv2DOptions same = {.padding = "SAME"};
  const Tensor sum = Add(Conv2D(x, w, same), bias), residual = Random({2, 9, 8, 7}, 4);
  CHECK(DifferentBits(FusedConv2D({x, w, bias}, same, {"BiasAdd"}), sum) == "");
  CHECK(DifferentBits(FusedConv2D({x, w, bias, residual}, same, {"BiasAdd", "Add"}), Add(sum, residual)) == "");
  CHECK(DifferentBits(FusedConv2D({x, w, bias}, same, {"BiasAdd", "Relu"}), Relu(sum)) == "");
  const Conv2DOptions first = {.padding = "SAME", .data_format = "NCHW"};
  const Tensor image = Random({2, 5, 9, 8}, 1), column = Tensor::FromData<float>({7, 1, 1}, bias.data<float>());
  CHECK(DifferentBits(FusedConv2D({image, w, bias}, first, {"BiasAdd"}), Add(Conv2D(image, w, first), column)) == "");
}

TEST_CASE("NaN and signed zeros pass through a fused Relu as through Relu") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor a = {{1.0f}}, b = Tensor::FromData<float>({1, 4}, std::vector<float>{nan, -0.0f, -1, 2});
  const Tensor fused = FusedMatMul({a, b}, {}, {"Relu"}), apart = RunList(FindOp("Relu"), std::vector<Tensor>{MatMul(a, b)});
  CHECK(DifferentBits(fused, apart) == "");
  CHECK(std::isnan(fused.data<float>()[0]));
}

TEST_CASE("LeakyRelu keeps its alpha") {
  const Tensor a = {{-10.0f}}, one = {{1.0f}}, zero = Tensor::FromData<float>({1}, std::vector<float>{0});
  CHECK(FusedMatMul({a, one, zero}, {}, {"BiasAdd", "LeakyRelu"}, 0.3f).item<float>() == -3.0f);
}

TEST_CASE("a wrong fused product says what is wrong") {
  const Tensor a = Random({2, 3}, 1), b = Random({3, 2}, 2);
  CHECK(ErrorOf([&] { FusedMatMul({a, b, Random({3}, 1)}, {}, {"BiasAdd"}); }) == "FusedMatMul: args[0] is [3], must be [2] for BiasAdd");
  CHECK(ErrorOf([&] { FusedMatMul({a, b, Random({1, 2}, 1)}, {}, {"Add"}); }) == "FusedMatMul: args[0] is [1,2], must be [2,2] for Add");
  CHECK(ErrorOf([&] { FusedMatMul({a, b}, {}, {"BiasAdd"}); }) == "FusedMatMul: fused_ops needs more than the 0 tensors of args");
  CHECK(ErrorOf([&] { FusedMatMul({a, b, Random({2}, 1)}, {}, {}); }) == "FusedMatMul: args has 1 tensors, fused_ops uses 0");
  CHECK(ErrorOf([&] { FusedMatMul({a, b}, {}, {"Cosine"}); }) == "FusedMatMul: fused_ops has \"Cosine\", which cannot be fused");
}

}  // namespace tandem
