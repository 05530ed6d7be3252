// Softmax, the cross-entropies and BiasAdd: edges, errors, gradients of both orders.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tandem.h"
#include "tests/gradient_check.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
Tensor F64(const Shape& shape, const std::vector<double>& v) { return Tensor::FromData<double>(shape, v); }
const Tensor kLogits = F64({2, 3}, {0.5, -1, 2, 0, 1.5, -0.75});

}  // namespace

TEST_CASE("softmax at its edges") {
  for (float p : Softmax(Tensor({-kInf, -kInf})).ToVector<float>()) CHECK(std::isnan(p));
  for (float p : Softmax(Tensor({kInf, 0.f})).ToVector<float>()) CHECK((std::isnan(p) || p == 0));
  CHECK(Softmax(Tensor::FromData<float>({2, 0}, std::span<const float>())).shape() == Shape{2, 0});
  CHECK(LogSoftmax(Tensor({1000.f, 0.f})).ToVector<float>() == std::vector<float>{0, -1000});
  const Tensor zeros = Tensor::FromData<BFloat16>({512}, std::vector<BFloat16>(512, BFloat16(0.f)));
  for (float p : Softmax(zeros).ToVector<float>()) CHECK(p == 0.001953125f);
  CHECK(Thrown([] { Softmax(Tensor(1.f)); }) == "INVALID_ARGUMENT Softmax: logits must have rank 1 or more, is []");
}

TEST_CASE("cross-entropies say what does not fit") {
  const auto zeros = [](const Shape& s) { return Tensor::FromData<float>(s, std::vector<float>(static_cast<size_t>(*s.num_elements()))); };
  CHECK(Thrown([&] { SoftmaxCrossEntropyWithLogits(zeros({3, 0}), zeros({0})); }) ==
        "INVALID_ARGUMENT SoftmaxCrossEntropyWithLogits: labels must be a matrix, is [0]");
  CHECK(Thrown([&] { SoftmaxCrossEntropyWithLogits(zeros({3, 2}), zeros({3, 3})); }) ==
        "INVALID_ARGUMENT SoftmaxCrossEntropyWithLogits: shapes do not broadcast: features is [3,2], labels is [3,3]");
  CHECK(Thrown([&] { SparseSoftmaxCrossEntropyWithLogits(zeros({2, 3}), {0, 3}); }) ==
        "INVALID_ARGUMENT SparseSoftmaxCrossEntropyWithLogits: labels[1] = 3, must be in [0, 3)");
  CHECK(Thrown([&] { SparseSoftmaxCrossEntropyWithLogits(zeros({2, 3}), {0}); }) ==
        "INVALID_ARGUMENT SparseSoftmaxCrossEntropyWithLogits: batch sizes differ: features is [2,3] (dim 0 = 2), labels is [1] (dim 0 = 1)");
  const auto empty = SoftmaxCrossEntropyWithLogits(zeros({0, 4}), zeros({0, 4}));
  CHECK(empty.loss.shape() == Shape{0});
  CHECK(empty.backprop.shape() == Shape{0, 4});
  CHECK(std::isnan(Mean(empty.loss).item<float>()));
  // A weight of 0 on an impossible class: 0 * inf.
  CHECK(std::isnan(SoftmaxCrossEntropyWithLogits({{-kInf, 0.f}}, {{0.f, 1.f}}).loss.item<float>()));
}

TEST_CASE("labels broadcast") {
  const Tensor both = SoftmaxCrossEntropyWithLogits(kLogits, F64({1, 3}, {0.25, 0.25, 0.5})).loss;
  const Tensor spread = SoftmaxCrossEntropyWithLogits(kLogits, F64({2, 3}, {0.25, 0.25, 0.5, 0.25, 0.25, 0.5})).loss;
  CHECK(both.ToVector<double>() == spread.ToVector<double>());
}

TEST_CASE("gradients of softmax and losses agree with differences, twice") {
  const Tensor labels = F64({2, 3}, {0.2, 0.3, 0.5, 0.1, 0.6, 0.3});
  const std::pair<const char*, TensorFunction> functions[] = {
      {"softmax", [](const Tensors& t) { return Softmax(t[0]); }},
      {"log softmax", [](const Tensors& t) { return LogSoftmax(t[0]); }},
      {"cross-entropy", [](const Tensors& t) { return SoftmaxCrossEntropyWithLogits(t[0], t[1]).loss; }},
      {"sparse cross-entropy", [](const Tensors& t) { return SparseSoftmaxCrossEntropyWithLogits(t[0], {2, 0}).loss; }},
      {"bias", [](const Tensors& t) { const Tensor y = BiasAdd(t[0], Sum(t[1], 0)); return y * y; }},
  };
  for (const auto& [name, f] : functions) {
    CAPTURE(name);
    CHECK(GradientDifference(f, {kLogits, labels}) == "");
    CHECK(SecondGradientDifference(f, {kLogits, labels}) == "");
  }
}

TEST_CASE("a bias goes to its channel") {
  const Tensor x = Tensor::FromData<float>({1, 2, 3}, std::vector<float>(6, 0.f));
  CHECK(BiasAdd(x, Tensor({1.f, 2.f, 3.f})).ToVector<float>() == std::vector<float>{1, 2, 3, 1, 2, 3});
  CHECK(BiasAdd(x, Tensor({1.f, 2.f}), "NCHW").ToVector<float>() == std::vector<float>{1, 1, 1, 2, 2, 2});
  CHECK(BiasAddGrad(BiasAdd(x, Tensor({1.f, 2.f}), "NCHW"), "NCHW").ToVector<float>() == std::vector<float>{3, 6});
  CHECK(Thrown([&] { BiasAdd(x, Tensor({1.f, 2.f})); }) ==
        "INVALID_ARGUMENT BiasAdd: channels differ: value is [1,2,3] (dim 2 = 3), bias is [2] (dim 0 = 2)");
  CHECK(Thrown([&] { BiasAdd(Tensor({1.f}), Tensor({1.f})); }) == "INVALID_ARGUMENT BiasAdd: value must have rank 2 or more, is [1]");
}

}  // namespace tandem
