#include <catch2/catch.hpp>
#include <functional>

#include "tandem.h"
#include "tests/compare.h"
#include "tests/json_tensor.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

// A metric under one signature: the arguments of a call, its weight or none.
struct AnyMetric {
  std::function<Tensor(const Tensors&, const Tensor&)> update;
  std::shared_ptr<metrics::Metric> metric;
};

template <class M>
AnyMetric OfPairs(std::shared_ptr<M> m) {
  return {[m](const Tensors& a, const Tensor& w) { return (*m)(a[0], a[1], {w}); }, m};
}
template <class M>
AnyMetric OfValues(std::shared_ptr<M> m) {
  return {[m](const Tensors& a, const Tensor& w) { return (*m)(a[0], {w}); }, m};
}

AnyMetric Make(const Json& c) {
  const auto name = c["metric"].get<std::string>();
  const Json& o = c["options"];
  const auto thresholds = o.value("thresholds", std::vector<double>{.5});
  const auto k = o.value("k", int64_t{5});
  if (name == "Mean") return OfValues(std::make_shared<metrics::Mean>());
  if (name == "Sum") return OfValues(std::make_shared<metrics::Sum>());
  if (name == "Accuracy") return OfPairs(std::make_shared<metrics::Accuracy>());
  if (name == "BinaryAccuracy") return OfPairs(std::make_shared<metrics::BinaryAccuracy>("b", o.value("threshold", .5)));
  if (name == "CategoricalAccuracy") return OfPairs(std::make_shared<metrics::CategoricalAccuracy>());
  if (name == "SparseCategoricalAccuracy") return OfPairs(std::make_shared<metrics::SparseCategoricalAccuracy>());
  if (name == "TopKCategoricalAccuracy") return OfPairs(std::make_shared<metrics::TopKCategoricalAccuracy>(k));
  if (name == "SparseTopKCategoricalAccuracy") return OfPairs(std::make_shared<metrics::SparseTopKCategoricalAccuracy>(k));
  if (name == "MeanSquaredError") return OfPairs(std::make_shared<metrics::MeanSquaredError>());
  if (name == "RootMeanSquaredError") return OfPairs(std::make_shared<metrics::RootMeanSquaredError>());
  if (name == "MeanAbsoluteError") return OfPairs(std::make_shared<metrics::MeanAbsoluteError>());
  if (name == "Precision") return OfPairs(std::make_shared<metrics::Precision>("p", thresholds));
  if (name == "Recall") return OfPairs(std::make_shared<metrics::Recall>("r", thresholds));
  if (name == "ConfusionMatrix") return OfPairs(std::make_shared<metrics::ConfusionMatrix>(o["num_classes"].get<int64_t>()));
  if (name == "MeanIoU") return OfPairs(std::make_shared<metrics::MeanIoU>(o["num_classes"].get<int64_t>()));
  REQUIRE(name == "AUC");
  const auto method = o.value("summation_method", "interpolation");
  return OfPairs(std::make_shared<metrics::AUC>(
      "auc", metrics::AUCOptions{.num_thresholds = o.value("num_thresholds", int64_t{200}),
                                 .curve = o.value("curve", "ROC") == "PR" ? metrics::AUCCurve::kPR : metrics::AUCCurve::kROC,
                                 .summation_method = method == "minoring"   ? metrics::AUCSummation::kMinoring
                                                     : method == "majoring" ? metrics::AUCSummation::kMajoring
                                                                            : metrics::AUCSummation::kInterpolation}));
}

struct Step {
  Tensors arguments;
  Tensor weight, want;
};
std::vector<Step> Steps(const Json& c) {
  std::vector<Step> steps;
  for (const Json& s : c["steps"]) {
    Step step;
    for (const Json& a : s["arguments"]) step.arguments.push_back(JsonTensor(a));
    if (s.contains("weight")) step.weight = JsonTensor(s["weight"]);
    step.want = JsonTensor(s["result"]);
    steps.push_back(step);
  }
  return steps;
}

}  // namespace

TEST_CASE("metrics are Keras's, update by update, and again after a reset") {
  int i = 0;
  for (const Json& c : ReadJsonFile("tests/data/metrics.json")) {
    INFO("case " << i++ << ": " << c["metric"] << " " << c["options"]);
    const AnyMetric m = Make(c);
    for (int round = 0; round < 2; ++round) {
      for (const Step& step : Steps(c)) {
        const Tensor after = m.update(step.arguments, step.weight);
        CHECK(Difference(after, step.want, {1e-5, 1e-6}) == "");
        CHECK(DifferentBits(m.metric->Result(), after) == "");
      }
      m.metric->Reset();
    }
  }
  CHECK(i > 45);
}

TEST_CASE("metrics record in a graph, and share state with eager code") {
  int i = 0;
  for (const Json& c : ReadJsonFile("tests/data/metrics.json")) {
    INFO("case " << i++ << ": " << c["metric"] << " " << c["options"]);
    const AnyMetric m = Make(c), twin = Make(c);
    const std::vector<Step> steps = Steps(c);
    for (size_t k = 0; k < steps.size(); ++k) {
      const Step& step = steps[k];
      const Tensor eager = twin.update(step.arguments, step.weight);
      for (const bool unknown : {false, true}) {
        Graph graph;
        Tensor after;
        Tensors reset;
        std::vector<Feed> feeds;
        {
          GraphScope scope(graph);
          Tensors symbolic;
          for (const Tensor& a : step.arguments) {
            symbolic.push_back(Placeholder(a.dtype(), unknown ? Shape(std::vector<int64_t>(a.rank(), -1)) : a.shape()));
            feeds.push_back({symbolic.back(), a});
          }
          after = m.update(symbolic, step.weight);
          reset = m.metric->Reset();
        }
        Session session(graph);
        const std::vector<TensorName> zero(reset.begin(), reset.end());
        if (unknown) {  // once more from the beginning, up to this step eagerly
          session.Run({}, zero);
          for (size_t e = 0; e < k; ++e) m.update(steps[e].arguments, steps[e].weight);
        }
        const Tensor got = session.RunAll(feeds, {after}, {}, {})[0];
        CHECK(DifferentBits(got, eager) == "");
        CHECK(DifferentBits(m.metric->Result(), eager) == "");
      }
    }
  }
}

TEST_CASE("a metric made in a graph is initialized and reset there") {
  Graph graph;
  Tensor after, result;
  Tensors reset;
  {
    GraphScope scope(graph);
    metrics::Mean m("loss");
    after = m(Placeholder(kFloat32, Shape{}, "x"));
    result = m.Result();
    reset = m.Reset();
  }
  Session session(graph);
  session.Run({}, std::vector<TensorName>{}, {graph.Initializer()});
  CHECK(session.Run({{"x", 2.}}, after).item<float>() == 2.0f);
  CHECK(session.Run({{"x", 5.}}, after).item<float>() == 3.5f);
  CHECK(session.Run({}, result).item<float>() == 3.5f);
  session.Run({}, std::vector<TensorName>(reset.begin(), reset.end()));
  CHECK(session.Run({{"x", 7.}}, after).item<float>() == 7.0f);
}

TEST_CASE("the mean of the guide, counts beyond float32") {
  metrics::Mean m("loss");
  CHECK(m.Result().item<float>() == 0.0f);
  m(0);
  m(5);
  CHECK(m.Result().item<float>() == 2.5f);
  m({8, 9});
  CHECK(m.Result().item<float>() == 5.5f);
  CHECK(m.state()->children().size() == 2);
  metrics::Sum s;
  s(16777216.);
  s(1.);
  s(-16777216.);
  CHECK(s.Result().item<float>() == 1.0f);
}

TEST_CASE("a scalar weighs every value") {
  metrics::Mean m;
  m({1., 3.}, {.sample_weight = .5});
  CHECK(m({8.}, {.sample_weight = 1.}).item<float>() == 5.0f);  // (.5 + 1.5 + 8) / 2
}

TEST_CASE("a metric refuses what does not fit, and keeps its state") {
  metrics::Mean mean("loss");
  mean(3);
  CHECK(Thrown([&] { mean(Zeros({2, 3}), {.sample_weight = Zeros({3})}); }) ==
        "INVALID_ARGUMENT loss: sample_weight is [3], the values are [2,3]");
  CHECK(mean.Result().item<float>() == 3.0f);
  metrics::Accuracy accuracy;
  CHECK(Thrown([&] { accuracy(Zeros({2}), Zeros({3})); }) ==
        "INVALID_ARGUMENT accuracy: shapes differ: labels is [2], predictions is [3]");
  metrics::SparseCategoricalAccuracy sparse;
  CHECK(Thrown([&] { sparse(Tensor({1, 2, 3}), Zeros({2, 4})); }) ==
        "INVALID_ARGUMENT sparse_categorical_accuracy: labels are [3], predictions are [2,4]: one label is needed for each row of predictions");
  metrics::MeanIoU iou(3);
  iou(Tensor({1}), Tensor({1}));
  CHECK_THAT(Thrown([&] { iou(Tensor({0, 1}), Tensor({0, 3})); }), Catch::StartsWith("INVALID_ARGUMENT ScatterNd: indices[1] "));
  CHECK_THAT(Thrown([&] { iou(Tensor({0, -1}), Tensor({0, 1})); }), Catch::StartsWith("INVALID_ARGUMENT ScatterNd: indices[1] "));
  CHECK(iou.Result().item<float>() == 1.0f);
  CHECK(Thrown([] { metrics::Precision("p", {1.5}); }) == "INVALID_ARGUMENT p: threshold 1.5 is not in [0, 1]");
  CHECK(Thrown([] { metrics::AUC("auc", {.num_thresholds = 1}); }) == "INVALID_ARGUMENT auc: num_thresholds is 1, must be at least 2");
}

}  // namespace tandem
