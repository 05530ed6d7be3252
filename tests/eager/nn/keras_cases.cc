#include "tests/eager/nn/keras_cases.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/compare.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

Json Load(const std::string& group) {
  std::ifstream in("tests/data/keras/" + group + ".json");
  REQUIRE(in.good());
  return Json::parse(in);
}

Tensor FromJson(const Json& j) {
  if (j.is_null()) return {};
  const Shape shape{std::span<const int64_t>(j["shape"].get<std::vector<int64_t>>())};
  if (j["dtype"] == "float32") return Reshape(Tensor(j["data"].get<std::vector<float>>()), shape);
  return Reshape(Tensor(j["data"].get<std::vector<int32_t>>()), shape);
}
Tensors ListFromJson(const Json& j) {
  Tensors out;
  for (const Json& each : j) out.push_back(FromJson(each));
  return out;
}

void CheckClose(const Tensor& got, const Tensor& want, const std::string& what) {
  INFO(what);
  if (!want.defined()) {
    CHECK(!got.defined());
    return;
  }
  REQUIRE(got.defined());
  CHECK(Difference(got, want, {.rtol = 1e-5, .atol = 1e-5}) == "");
}
void CheckAllClose(const Tensors& got, const Tensors& want, const std::string& what) {
  INFO(what);
  REQUIRE(got.size() == want.size());
  for (size_t i = 0; i < got.size(); ++i) CheckClose(got[i], want[i], what + "[" + std::to_string(i) + "]");
}

struct KerasCase {
  Tensors inputs, weights, dy, outputs, weight_gradients, input_gradients, weights_after;
  Tensor mask;
};

Tensors Call(const KerasLayer& k, nn::Layer& layer, const Tensors& inputs, const Tensor& mask) {
  const nn::CallOptions options = {.training = k.training, .mask = mask};
  if (k.call) return k.call(layer, inputs, options);
  return {inputs.size() == 1 ? layer(inputs[0], options) : layer(inputs, options)};
}

Tensor Loss(const Tensors& outputs, const Tensors& dy) {
  Tensors terms;
  for (size_t i = 0; i < outputs.size(); ++i) terms.push_back(Sum(outputs[i] * dy[i]));
  return AddN(terms);
}

Tensors Floating(const Tensors& inputs) {
  Tensors out;
  for (const Tensor& t : inputs)
    if (t.dtype() == kFloat32) out.push_back(t);
  return out;
}

void SetWeights(nn::Layer& layer, const KerasCase& c) {
  const std::vector<Variable> variables = layer.variables();
  REQUIRE(variables.size() == c.weights.size());
  for (size_t i = 0; i < variables.size(); ++i) {
    REQUIRE(variables[i].shape() == c.weights[i].shape());
    Variable(variables[i]).Assign(c.weights[i]);
  }
}

Tensors Values(const nn::Layer& layer) {
  Tensors out;
  for (const Variable& v : layer.variables()) out.push_back(v);
  return out;
}

void CheckEager(const KerasLayer& k, nn::Layer& layer, const KerasCase& c) {
  SetWeights(layer, c);
  GradientTape tape({.persistent = true});
  const Tensors floating = Floating(c.inputs);
  for (const Tensor& t : floating) tape.Watch(t);
  const Tensors outputs = Call(k, layer, c.inputs, c.mask);
  const Tensor loss = Loss(outputs, c.dy);
  CheckAllClose(outputs, c.outputs, "eager outputs");
  CheckAllClose(tape.Gradient(loss, layer.variables()), c.weight_gradients, "eager weight gradients");
  CheckAllClose(tape.Gradient(loss, floating), c.input_gradients, "eager input gradients");
  if (k.training) CheckAllClose(Values(layer), c.weights_after, "eager weights after");
}

// The batch is left open, so that nothing may depend on knowing it.
void CheckGraph(const KerasLayer& k, nn::Layer& layer, const KerasCase& c, OptLevel level) {
  SetWeights(layer, c);
  Graph graph;
  Tensors placeholders, outputs, weight_gradients, input_gradients;
  {
    GraphScope scope(graph);
    for (const Tensor& t : c.inputs) {
      Shape shape = t.shape();
      shape[0] = -1;
      placeholders.push_back(Placeholder(t.dtype(), shape));
    }
    outputs = Call(k, layer, placeholders, c.mask);
    const Tensor loss = Loss(outputs, c.dy);
    weight_gradients = Gradients(loss, layer.variables());
    input_gradients = Gradients({loss}, Floating(placeholders));
  }
  Session session(graph, {.level = level});
  const std::vector<TensorName> feeds(placeholders.begin(), placeholders.end());
  const auto run = [&](const Tensors& fetches, const Tensors& want, const std::string& what) {
    REQUIRE(fetches.size() == want.size());
    for (size_t i = 0; i < fetches.size(); ++i) {
      const std::string title = what + "[" + std::to_string(i) + "]";
      if (!fetches[i].defined()) CheckClose({}, want[i], title);
      else CheckClose(session.MakeCallable(feeds, {fetches[i]})(c.inputs)[0], want[i], title);
    }
  };
  run(outputs, c.outputs, "graph outputs");
  run(weight_gradients, c.weight_gradients, "graph weight gradients");
  run(input_gradients, c.input_gradients, "graph input gradients");
}

}  // namespace

void CheckKerasLayers(const std::string& group, std::span<const KerasLayer> layers) {
  const Json json = Load(group);
  CHECK(layers.size() == json.size());
  for (const KerasLayer& k : layers) {
    INFO(k.name);
    REQUIRE(json.contains(k.name));
    const Json& j = json[k.name];
    KerasCase c{.inputs = ListFromJson(j["inputs"]), .weights = ListFromJson(j["weights"]), .dy = ListFromJson(j["dy"]),
           .outputs = ListFromJson(j["outputs"]), .weight_gradients = ListFromJson(j["weight_gradients"]),
           .input_gradients = ListFromJson(j["input_gradients"])};
    if (j.contains("weights_after")) c.weights_after = ListFromJson(j["weights_after"]);
    if (j.contains("mask")) c.mask = Cast(FromJson(j["mask"]), kBool);
    const std::shared_ptr<nn::Layer> layer = k.make();
    Call(k, *layer, c.inputs, c.mask);
    CheckEager(k, *layer, c);
    CheckGraph(k, *layer, c, OptLevel::kO0);
    CheckGraph(k, *layer, c, OptLevel::kO2);
  }
}

std::string KerasSummary(const std::string& name) { return Load("summaries").at(name); }

}  // namespace tandem
