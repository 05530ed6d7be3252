#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "core/context.h"
#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

Tensor Values(const Shape& shape, std::vector<float> values) { return Tensor::FromData<float>(shape, values); }

Tensor Random(const Shape& shape, int seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<size_t>(*shape.num_elements()));
  for (float& v : values) v = normal(generator);
  return Values(shape, values);
}

Tensors FullResult(const Tensor& x, const Tensor& scale, const Tensor& offset, const Tensor& mean, const Tensor& variance, float factor, bool training) {
  return RunMany(Op<"FusedBatchNormV3">(), Tensors{x, scale, offset, mean, variance}, {1e-4f, factor, "NHWC", training});
}

const Tensor kEmpty = Values({0}, {});

// The sum of y * weights as a double, for finite differences.
double Weighted(const Tensor& y, const Tensor& weights) {
  double sum = 0;
  for (int64_t i = 0; i < y.size(); ++i) sum += double(y.data<float>()[i]) * weights.data<float>()[i];
  return sum;
}

}  // namespace

TEST_CASE("training normalizes by the batch and corrects the variance it reports") {
  const Tensor x = Values({1, 2, 2, 1}, {1, 2, 3, 4});
  const Tensors r = FullResult(x, Values({1}, {1}), Values({1}, {0}), kEmpty, kEmpty, 1.0f, true);
  CHECK(r[1].item<float>() == 2.5f);
  CHECK(r[2].item<float>() == Approx(5.0 / 3));
  CHECK(r[3].item<float>() == 2.5f);
  CHECK(r[4].item<float>() == 1.25f);
  CHECK(r[5].shape() == Shape{0});
  CHECK(r[0].data<float>()[0] == Approx(-1.5 / std::sqrt(1.2501)));
}

TEST_CASE("a running average mixes old and new") {
  const Tensor x = Values({1, 2, 2, 1}, {1, 2, 3, 4});
  const Tensors r = FullResult(x, Values({1}, {1}), Values({1}, {0}), Values({1}, {10}), Values({1}, {1}), 0.25f, true);
  CHECK(r[1].item<float>() == Approx(0.75 * 10 + 0.25 * 2.5));
  CHECK(r[2].item<float>() == Approx(0.75 * 1 + 0.25 * 5.0 / 3));
  CHECK(r[3].item<float>() == 2.5f);
}

TEST_CASE("inference normalizes by what it is given") {
  const Tensor x = Values({1, 1, 2, 2}, {1, 2, 3, 4});
  const FusedBatchNormResult r = FusedBatchNorm(x, Values({2}, {2, 3}), Values({2}, {10, 20}), Values({2}, {1, 1}), Values({2}, {4, 9}),
                                                {.epsilon = 0, .is_training = false});
  CHECK(r.y.ToVector<float>() == std::vector<float>{10, 21, 12, 23});
  CHECK(r.batch_mean.ToVector<float>() == std::vector<float>{1, 1});
}

TEST_CASE("channels first, five dimensions, and nothing at all") {
  const Tensor last = Values({1, 2, 1, 2}, {1, 5, 3, 7}), first = Values({1, 2, 2, 1}, {1, 3, 5, 7});
  const Tensor scale = Values({2}, {1, 2}), offset = Values({2}, {0, 1});
  const auto y = FusedBatchNorm(last, scale, offset).y.ToVector<float>();
  CHECK(FusedBatchNorm(first, scale, offset, {}, {}, {.data_format = "NCHW"}).y.ToVector<float>() == std::vector<float>{y[0], y[2], y[1], y[3]});
  const Tensor deep = Values({1, 2, 1, 1, 2}, {1, 5, 3, 7});
  CHECK(FusedBatchNorm(deep, scale, offset, {}, {}, {.data_format = "NDHWC"}).y.ToVector<float>() == y);
  const FusedBatchNormResult none = FusedBatchNorm(Values({0, 2, 2, 1}, {}), Values({1}, {1}), Values({1}, {0}));
  CHECK(none.y.shape() == Shape{0, 2, 2, 1});
  CHECK(std::isnan(none.batch_mean.item<float>()));
  const FusedBatchNormResult one = FusedBatchNorm(Values({1, 1, 1, 1}, {7}), Values({1}, {3}), Values({1}, {2}));
  CHECK(one.y.item<float>() == 2);
  CHECK(one.batch_variance.item<float>() == 0);
}

TEST_CASE("the gradient is the slope of the result") {
  for (const bool training : {true, false}) {
    const Tensor x = Random({2, 3, 3, 2}, 1), scale = Random({2}, 2), offset = Random({2}, 3), dy = Random({2, 3, 3, 2}, 4);
    const Tensor mean = training ? kEmpty : Random({2}, 5), variance = training ? kEmpty : Values({2}, {0.5f, 2});
    const Tensors r = FullResult(x, scale, offset, mean, variance, 1.0f, training);
    const Tensors g = RunMany(Op<"FusedBatchNormGradV3">(), Tensors{dy, x, scale, training ? r[3] : mean, training ? r[4] : variance, kEmpty},
                              {1e-4f, "NHWC", training});
    const auto slope = [&](const Tensor& at, int which, int64_t i) {
      double value[2];
      for (int side = 0; side < 2; ++side) {
        std::vector<float> moved = at.ToVector<float>();
        moved[i] += side ? 1e-2f : -1e-2f;
        Tensor inputs[3] = {x, scale, offset};
        inputs[which] = Values(at.shape(), moved);
        value[side] = Weighted(FullResult(inputs[0], inputs[1], inputs[2], mean, variance, 1.0f, training)[0], dy);
      }
      return (value[1] - value[0]) / 2e-2;
    };
    for (int64_t i = 0; i < x.size(); i += 5) CHECK(g[0].data<float>()[i] == Approx(slope(x, 0, i)).epsilon(2e-2).margin(2e-3));
    for (int64_t i = 0; i < 2; ++i) {
      CHECK(g[1].data<float>()[i] == Approx(slope(scale, 1, i)).epsilon(1e-3).margin(1e-3));
      CHECK(g[2].data<float>()[i] == Approx(slope(offset, 2, i)).epsilon(1e-3).margin(1e-3));
    }
  }
}

TEST_CASE("a wrong batch normalization says what is wrong") {
  const Tensor one = Values({1}, {1});
  const FusedBatchNormOptions inference = {.is_training = false}, first = {.data_format = "NCHW", .is_training = false};
  CHECK(ErrorOf([&] { FusedBatchNorm(Random({1, 1, 1, 6}, 1), one, one, one, one, inference); }) ==
        "FusedBatchNormV3: channels differ: scale is [1] (dim 0 = 1), x is [1,1,1,6] (dim 3 = 6)");
  CHECK(ErrorOf([&] { FusedBatchNorm(Random({1, 6, 1, 1}, 1), one, one, one, one, first); }) ==
        "FusedBatchNormV3: channels differ: scale is [1] (dim 0 = 1), x is [1,6,1,1] (dim 1 = 6)");
  CHECK(ErrorOf([&] { FusedBatchNorm(Random({1, 1, 1, 1}, 1), kEmpty, kEmpty, kEmpty, kEmpty, inference); }) ==
        "FusedBatchNormV3: channels differ: scale is [0] (dim 0 = 0), x is [1,1,1,1] (dim 3 = 1)");
  CHECK(ErrorOf([&] { FusedBatchNorm(Random({1, 1, 1, 1}, 1), one, one, kEmpty, kEmpty, inference); }) ==
        "FusedBatchNormV3: channels differ: mean is [0] (dim 0 = 0), x is [1,1,1,1] (dim 3 = 1)");
  CHECK(ErrorOf([&] { FusedBatchNorm(Random({1, 1, 1, 6}, 1), Random({6, 1}, 1), one, one, one, inference); }) ==
        "FusedBatchNormV3: scale must be a vector, is [6,1]");
  CHECK(ErrorOf([&] { FusedBatchNorm(Random({2, 3, 2}, 1), Random({2}, 1), Random({2}, 1)); }) ==
        "FusedBatchNormV3: x must be of rank 4, is [2,3,2]");
}

}  // namespace tandem
