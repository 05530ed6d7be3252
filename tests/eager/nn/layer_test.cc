#include "eager/nn/layer.h"

#include <catch2/catch.hpp>

#include "tests/eager/nn/keras_cases.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

class MySimpleLayer : public nn::Layer {
 public:
  explicit MySimpleLayer(int64_t units) : units_(units) {}
  void Build(const Shape& input) override {
    ++builds;
    kernel_ = AddVariable("kernel", {input.back(), units_});
    if (fail_once) {
      fail_once = false;
      throw Error(Code::kUnavailable, "not today");
    }
  }
  Tensor Call(const Tensor& input) override { return MatMul(input, kernel_); }
  int builds = 0;
  bool fail_once = false;

 private:
  int64_t units_;
  Variable kernel_;
};

class MnistModel : public nn::Model {
 public:
  Tensor Call(const Tensor& input) override { return dense2_(dense2_(dense1_(input))); }
  nn::Dense& dense1() { return dense1_; }

 private:
  nn::Dense& dense1_ = Track("dense1", nn::Dense(10));
  nn::Dense& dense2_ = Track("dense2", nn::Dense(10));
};

// Says how it was called.
class Probe : public nn::Layer {
 public:
  Tensor Call(const Tensor& input) override {
    trained = training();
    masked = mask().defined();
    return input;
  }
  bool trained = false, masked = false;
};

std::vector<std::string> NamesOf(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& v : variables) names.push_back(v.name());
  return names;
}
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a layer builds once, at its first call, and fails clearly") {
  nn::ResetLayerNames();
  MySimpleLayer layer(3);
  CHECK(layer.variables().empty());
  CHECK(!layer.built());
  CHECK(layer(Ones({2, 4})).shape() == Shape{2, 3});
  layer(Ones({5, 4}));
  CHECK(layer.builds == 1);
  CHECK(layer.built());
  CHECK(NamesOf(layer.variables()) == Names{"my_simple_layer/kernel"});
  CHECK(Thrown([&] { layer(Ones({2, 5})); }) ==
        "INVALID_ARGUMENT MatMul: inner dimensions differ: a is [2,5] (dim 1 = 5), b is [4,3] (dim 0 = 4); layer \"my_simple_layer\"");

  MySimpleLayer flaky(3);
  flaky.fail_once = true;
  CHECK(Thrown([&] { flaky(Ones({2, 4})); }) == "UNAVAILABLE not today; layer \"my_simple_layer_1\"");
  CHECK(flaky.variables().empty());
  CHECK(flaky.state()->children().empty());
  CHECK(flaky(Ones({2, 6})).shape() == Shape{2, 3});
  CHECK(flaky.state()->children().size() == 1);
}

TEST_CASE("what does not fit is an error that names the layer") {
  nn::ResetLayerNames();
  CHECK(Thrown([] { nn::Dense(0); }) == "INVALID_ARGUMENT Dense: units is 0, must be at least 1");
  CHECK(Thrown([] { nn::Dense(-3); }) == "INVALID_ARGUMENT Dense: units is -3, must be at least 1");
  CHECK(Thrown([] { nn::Dense(1, {.name = "a b"}); }).starts_with("INVALID_ARGUMENT Layer: \"a b\" cannot name a layer"));
  CHECK(Thrown([] { nn::Dropout(1.5); }) == "INVALID_ARGUMENT Dropout: rate is 1.5, must be in [0, 1]");
  CHECK(Thrown([] { nn::Reshape({2, -2}); }) == "INVALID_ARGUMENT Reshape: target[1] is -2, must be at least -1");
  CHECK(Thrown([] { nn::Permute({1, 3}); }) == "INVALID_ARGUMENT Permute: dims is [1,3], must be an order of 1 to 2");
  CHECK(Thrown([] { nn::Activation(nullptr); }) == "INVALID_ARGUMENT Activation: the function is empty");

  nn::Dense dense(3);
  CHECK(Thrown([&] { dense.kernel(); }) == "FAILED_PRECONDITION Dense: there is no kernel yet: the first call builds it; layer \"dense\"");
  CHECK(Thrown([&] { dense(Ones({4})); }) == "INVALID_ARGUMENT Dense: input must have rank 2 or more, is [4]; layer \"dense\"");
  CHECK(Thrown([&] { dense(Tensor()); }).starts_with("FAILED_PRECONDITION"));
  CHECK(!dense.built());
  dense(Ones({2, 4}));
  CHECK(Thrown([&] { dense(Ones({2, 5})); }) ==
        "INVALID_ARGUMENT Dense: input is [2,5] (dim 1 = 5), the layer was built for 4 there; layer \"dense\"");
  CHECK(Thrown([&] { dense(Tensors{Ones({2, 4}), Ones({2, 4})}); }) == "INVALID_ARGUMENT Dense: takes one input, got 2; layer \"dense\"");
  CHECK(Thrown([&] { dense(Cast(Ones({2, 4}), kFloat64)); }).ends_with("; layer \"dense\""));
  CHECK(dense(Tensors{Ones({2, 4})}).shape() == Shape{2, 3});
  CHECK(Thrown([&] { nn::Reshape({5})(Ones({2, 4})); }) ==
        "INVALID_ARGUMENT Reshape: input is [2,4], whose examples have 4 elements, the target has 5; layer \"reshape\"");
  CHECK(Thrown([&] { nn::Dense(2, {.kernel_initializer = nn::initializers::Value(Ones({3, 3}))})(Ones({1, 4})); }) ==
        "INVALID_ARGUMENT Dense: the initializer of kernel gave [3,3], must be [4,2]; layer \"dense_1\"");
  Graph graph;
  GraphScope scope(graph);
  CHECK(Thrown([&] { nn::Dense(2)(Placeholder(kFloat32, {3, -1})); }) ==
        "INVALID_ARGUMENT Dense: input is [3,?], dim -1 must be known to build variables; layer \"dense_2\"");
}

TEST_CASE("a model owns its layers, and sharing a layer shares its variables") {
  nn::ResetLayerNames();
  MnistModel model;
  CHECK(model(Zeros({1, 1, 784})).shape() == Shape{1, 1, 10});
  CHECK(NamesOf(model.variables()) == Names{"dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias"});
  CHECK(model.name() == "mnist_model");
  REQUIRE(model.state()->Find("dense1"));
  CHECK(model.state()->Find("dense1")->object->Find("kernel")->variable.handle().rep() == model.dense1().kernel().handle().rep());

  const auto shared = std::make_shared<nn::Dense>(4);
  nn::Sequential a(shared, nn::Activation(Relu)), b(nn::Flatten(), shared, shared);
  a(Ones({2, 4}));
  b(Ones({2, 2, 2}));
  CHECK(a.variables().size() == 2);
  CHECK(b.variables().size() == 2);
  CHECK(a.variables()[0].handle().rep() == b.variables()[0].handle().rep());

  // Moved, a model is the same model.
  const Tensor before = model(Ones({1, 1, 784}));
  MnistModel moved(std::move(model));
  CHECK(bool(All(moved(Ones({1, 1, 784})) == before)));
  CHECK(moved.variables().size() == 4);
}

TEST_CASE("trainable is a switch for a layer and all inside it") {
  nn::Sequential stack(nn::Dense(3, {.input_shape = {2}}), nn::Dense(1));
  CHECK(stack.trainable_variables().size() == 4);
  stack.layers()[0]->set_trainable(false);
  CHECK(stack.trainable_variables().size() == 2);
  CHECK(stack.non_trainable_variables().size() == 2);
  CHECK(stack.variables().size() == 4);
  stack.set_trainable(false);
  CHECK(stack.trainable_variables().empty());
  stack.set_trainable(true);
  CHECK(stack.trainable_variables().size() == 4);
}

TEST_CASE("regularizers give losses of trainable variables, differentiable") {
  nn::Sequential stack(nn::Dense(1, {.kernel_initializer = nn::initializers::Constant(-2), .kernel_regularizer = nn::regularizers::L2(.5), .input_shape = {3}}),
                       nn::Dense(1, {.kernel_initializer = nn::initializers::Constant(-3), .kernel_regularizer = nn::regularizers::L1L2(2, 10)}));
  GradientTape tape;
  const Tensors losses = stack.losses();
  REQUIRE(losses.size() == 2);
  CHECK(losses[0].item<float>() == 6.f);    // .5 * 3 * 4
  CHECK(losses[1].item<float>() == 96.f);   // 2 * 3 + 10 * 9
  CHECK(tape.Gradient(losses[0], stack.variables()[0]).ToVector<float>() == std::vector<float>{-2, -2, -2});
  stack.layers()[0]->set_trainable(false);
  CHECK(stack.losses().size() == 1);
}

TEST_CASE("training flows into the layers of a call; a mask goes to one") {
  const auto inner = std::make_shared<Probe>(), outer = std::make_shared<Probe>();
  nn::Sequential stack(nn::Sequential(inner, nn::Flatten()), outer);
  const Tensor x = Ones({2, 2});
  stack(x);
  CHECK(!inner->trained);
  stack(x, {.training = true});
  CHECK(inner->trained);
  CHECK(outer->trained);
  stack(x, {.training = false});
  CHECK(!inner->trained);
  stack(x, {.mask = x > 0});
  CHECK(inner->masked);
  CHECK(!outer->masked);  // Probe makes none
}

TEST_CASE("Dropout keeps the mean, and does nothing outside training") {
  SetRandomSeed(1);
  nn::Dropout dropout(.25);
  const Tensor x = Ones({100, 100});
  CHECK(dropout(x).rep() == x.rep());
  const Tensor y = dropout(x, {.training = true});
  const double kept = Mean(Cast(y > 0., kFloat32)).item<double>();
  CHECK(kept == Approx(.75).margin(.02));
  CHECK(Max(y).item<float>() == Approx(4. / 3));
  GradientTape tape;
  tape.Watch(x);
  const Tensor z = dropout(x, {.training = true});
  CHECK(bool(All(tape.Gradient(Sum(z), x) == z)));
  CHECK(Sum(nn::Dropout(1)(x, {.training = true})).item<float>() == 0);
}

TEST_CASE("in a graph a layer's nodes carry its name, and its variables are shared") {
  nn::ResetLayerNames();
  nn::Sequential eager(nn::Dense(2, {.name = "first"}));
  const Tensor y = eager(Ones({1, 3}));
  Graph graph;
  Tensor symbolic;
  {
    GraphScope scope(graph);
    symbolic = eager(Placeholder(kFloat32, {-1, 3}, "x"));
    CHECK(symbolic.name() == "sequential/first/BiasAdd:0");
  }
  CHECK(bool(All(Session(graph).Run({{"x", Ones({1, 3})}}, symbolic) == y)));

  // A layer that is built in a graph has its variables there.
  Graph other;
  GraphScope scope(other);
  nn::Dense dense(2, {.kernel_initializer = nn::initializers::Orthogonal()});
  const Tensor z = dense(Ones({1, 2}));
  const std::string initializer = other.Initializer();
  Session session(other);
  session.Run({}, {}, {initializer});
  CHECK(session.Run({}, z).shape() == Shape{1, 2});
}

TEST_CASE("OutputShape builds and runs nothing") {
  nn::Sequential stack(nn::Flatten(), nn::Dense(5), nn::Reshape({5, 1}), nn::Permute({2, 1}), nn::Lambda([](const Tensor& x) { return x * 2; }));
  CHECK(stack.OutputShape({-1, 4, 3}) == Shape{-1, 1, 5});
  CHECK(stack.variables()[0].shape() == Shape{12, 5});
  CHECK(stack.layers()[1]->output_shape() == Shape{-1, 5});
  CHECK(stack(Ones({2, 4, 3})).shape() == Shape{2, 1, 5});
  CHECK(Thrown([&] { stack.Add(nn::Dense(1)); }).starts_with("FAILED_PRECONDITION Sequential: a layer was added after"));
}

TEST_CASE("names are made as Keras makes them") {
  nn::ResetLayerNames();
  CHECK(nn::Dense(1).name() == "dense");
  CHECK(nn::Dense(1).name() == "dense_1");
  CHECK(nn::ZeroPadding2D().name() == "zero_padding2d");
  CHECK(nn::RepeatVector(2).name() == "repeat_vector");
  CHECK(MySimpleLayer(1).name() == "my_simple_layer");
  CHECK(nn::Dense(1, {.name = "dense"}).name() == "dense");
}

TEST_CASE("layers of several inputs") {
  const Tensor a = {{1., 2.}}, b = {{3., 5.}};
  CHECK(nn::Add()(Tensors{a, b}).ToVector<float>() == std::vector<float>{4, 7});
  CHECK(nn::Multiply()(Tensors{a, b}).ToVector<float>() == std::vector<float>{3, 10});
  CHECK(nn::Average()(Tensors{a, b}).ToVector<float>() == std::vector<float>{2, 3.5});
  CHECK(nn::Maximum()(Tensors{a, b}).ToVector<float>() == std::vector<float>{3, 5});
  CHECK(nn::Concatenate()(Tensors{a, b}).ToVector<float>() == std::vector<float>{1, 2, 3, 5});
  CHECK(Thrown([&] { nn::Add()(Tensors{}); }).starts_with("INVALID_ARGUMENT Add: takes at least one input"));
}

}  // namespace tandem
