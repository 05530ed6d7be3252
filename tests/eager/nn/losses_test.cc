#include "eager/nn/losses.h"

#include <catch2/catch.hpp>

#include "tandem.h"
#include "tests/compare.h"
#include "tests/gradient_check.h"
#include "tests/json_tensor.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

using losses::Reduction;
using Json = nlohmann::json;

Reduction ReductionOf(const std::string& name) {
  if (name == "none") return Reduction::kNone;
  if (name == "weighted_sum") return Reduction::kSum;
  if (name == "weighted_mean") return Reduction::kMean;
  if (name == "weighted_sum_over_batch_size") return Reduction::kSumOverBatchSize;
  REQUIRE(name == "weighted_sum_by_nonzero_weights");
  return Reduction::kSumByNonzeroWeights;
}

Tensor Call(const Json& c, const Tensor& y, const Tensor& p, const Tensor& w) {
  const auto name = c["loss"].get<std::string>();
  const Json& o = c["options"];
  const Reduction r = ReductionOf(c["reduction"]);
  if (name == "MeanSquaredError") return losses::MeanSquaredError(y, p, {w, r});
  if (name == "AbsoluteDifference") return losses::AbsoluteDifference(y, p, {w, r});
  if (name == "HingeLoss") return losses::HingeLoss(y, p, {w, r});
  if (name == "HuberLoss") return losses::HuberLoss(y, p, {w, r, o.value("delta", 1.)});
  if (name == "LogLoss") return losses::LogLoss(y, p, {w, r, o.value("epsilon", 1e-7)});
  if (name == "CosineDistance") return losses::CosineDistance(y, p, {w, r, o.value("axis", int64_t{-1})});
  if (name == "SigmoidCrossEntropy") return losses::SigmoidCrossEntropy(y, p, {w, r, o.value("label_smoothing", 0.)});
  if (name == "SoftmaxCrossEntropy") return losses::SoftmaxCrossEntropy(y, p, {w, r, o.value("label_smoothing", 0.)});
  if (name == "SparseSoftmaxCrossEntropy") return losses::SparseSoftmaxCrossEntropy(y, p, {w, r});
  REQUIRE(name == "MeanPairwiseSquaredError");
  return losses::MeanPairwiseSquaredError(y, p, {w});
}

struct ValueAndGradient {
  Tensor value, gradient;
};

ValueAndGradient Eager(const Json& c, const Tensor& y, const Tensor& p, const Tensor& w) {
  GradientTape tape;
  tape.Watch(p);
  const Tensor value = Call(c, y, p, w);
  return {value, tape.Gradient(value, p)};
}

// The same calls recorded; unknown: the placeholders say nothing of sizes.
ValueAndGradient InGraph(const Json& c, const Tensor& y, const Tensor& p, const Tensor& w, bool unknown) {
  const auto shape = [&](const Tensor& t) { return unknown ? Shape(std::vector<int64_t>(t.rank(), -1)) : t.shape(); };
  Graph graph;
  Tensor value, gradient;
  {
    GraphScope scope(graph);
    const Tensor sy = Placeholder(y.dtype(), shape(y), "y"), sp = Placeholder(p.dtype(), shape(p), "p");
    const Tensor sw = w.defined() ? Placeholder(w.dtype(), w.shape(), "w") : Tensor();
    value = Call(c, sy, sp, sw);
    gradient = Gradients(value, sp);
  }
  Session session(graph);
  std::vector<Feed> feeds = {{"y", y}, {"p", p}};
  if (w.defined()) feeds.push_back({"w", w});
  const Tensors got = session.RunAll(feeds, {value, gradient}, {}, {});
  return {got[0], got[1]};
}

}  // namespace

TEST_CASE("losses and their gradients are TensorFlow's, in both modes") {
  int i = 0;
  for (const Json& c : ReadJsonFile("tests/data/losses.json")) {
    INFO("case " << i++ << ": " << c["loss"] << " " << c["reduction"] << " " << c["options"]);
    const Tensor y = JsonTensor(c["labels"]), p = JsonTensor(c["predictions"]);
    const Tensor w = c.contains("weights") ? JsonTensor(c["weights"]) : Tensor();
    const auto [value, gradient] = Eager(c, y, p, w);
    CHECK(Difference(value, JsonTensor(c["value"]), {1e-5, 1e-6}) == "");
    CHECK(Difference(gradient, JsonTensor(c["gradient"]), {1e-5, 1e-6}) == "");
    const auto recorded = InGraph(c, y, p, w, false);
    CHECK(DifferentBits(recorded.value, value) == "");
    CHECK(DifferentBits(recorded.gradient, gradient) == "");
    const auto open = InGraph(c, y, p, w, true);
    CHECK(DifferentBits(open.value, value) == "");
    CHECK(DifferentBits(open.gradient, gradient) == "");
  }
  CHECK(i > 60);
}

TEST_CASE("losses of float64 stay float64, of half types are summed in float32") {
  const Tensor y = Cast(Tensor({1., 2.}), kFloat64), p = Cast(Tensor({1.5, 2.25}), kFloat64);
  const Tensor loss = losses::MeanSquaredError(y, p);
  CHECK(loss.dtype() == kFloat64);
  CHECK(loss.item<double>() == 0.15625);
  const Tensor half = losses::MeanSquaredError(Cast(Zeros({4096}), kFloat16), Cast(Ones({4096}), kFloat16));
  CHECK(half.dtype() == kFloat16);
  CHECK(half.item<float>() == 1.0f);  // float16 could not count to 4096 by ones
  CHECK(losses::MeanSquaredError(Tensor({1, 2}), Tensor({1, 4})).item<float>() == 2.0f);
  const auto f = [&](const Tensors& x) { return losses::HuberLoss(y, x[0], {.delta = .3}); };
  CHECK(GradientDifference(f, {p}) == "");
}

TEST_CASE("a loss over nothing, or with no weight, is 0") {
  CHECK(losses::MeanSquaredError(Zeros({0, 3}), Zeros({0, 3})).item<float>() == 0.0f);
  CHECK(losses::MeanSquaredError(Zeros({2}), Ones({2}), {.weights = Tensor({0., 0.})}).item<float>() == 0.0f);
}

TEST_CASE("what does not fit is named") {
  const Tensor m = Zeros({2, 3});
  CHECK(Thrown([&] { losses::MeanSquaredError(Zeros({3, 2}), m); }) ==
        "INVALID_ARGUMENT MeanSquaredError: shapes differ: labels is [3,2], predictions is [2,3]");
  CHECK(Thrown([&] { losses::SigmoidCrossEntropy(Zeros({3}), m); }) ==
        "INVALID_ARGUMENT SigmoidCrossEntropy: shapes differ: labels is [3], logits is [2,3]");
  CHECK(Thrown([&] { losses::AbsoluteDifference(m, m, {.weights = Zeros({3})}); }) ==
        "INVALID_ARGUMENT losses: weights are [3], the losses are [2,3]: each dimension must be 1 or the losses' own");
  CHECK(Thrown([&] { losses::SparseSoftmaxCrossEntropy(Tensor({0, 3}), m); }) ==
        "INVALID_ARGUMENT SparseSoftmaxCrossEntropyWithLogits: labels[1] = 3, must be in [0, 3)");
  CHECK(Thrown([&] { losses::SparseSoftmaxCrossEntropy(Tensor({0, 1, 2}), m); }) ==
        "INVALID_ARGUMENT SparseSoftmaxCrossEntropy: labels are [3], logits are [2,3]: one label is needed for each row of logits");
  CHECK(Thrown([&] { losses::SparseSoftmaxCrossEntropy(Tensor({0., 1.}), m); }) ==
        "INVALID_ARGUMENT SparseSoftmaxCrossEntropy: labels are float32, must be class numbers, int32 or int64");
  CHECK(Thrown([&] { losses::SoftmaxCrossEntropy(m, m, {.label_smoothing = 2}); }) ==
        "INVALID_ARGUMENT losses: label_smoothing is 2, must be in [0, 1]");
  CHECK(Thrown([&] { losses::HuberLoss(m, m, {.delta = -1}); }) == "INVALID_ARGUMENT HuberLoss: delta is -1, must not be negative");
  CHECK(Thrown([&] { losses::LogLoss(Tensor(), m); }) == "FAILED_PRECONDITION LogLoss: labels is an undefined tensor");
}

}  // namespace tandem
