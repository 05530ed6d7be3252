// Layer: an object that owns variables and turns a tensor into another, in both modes.
//
//   class Linear : public nn::Layer {
//    public:
//     explicit Linear(int64_t units) : units_(units) {}
//     void Build(const Shape& input) override { kernel_ = AddVariable("kernel", {input.back(), units_}); }
//     Tensor Call(const Tensor& input) override { return MatMul(input, kernel_); }
//    private:
//     int64_t units_;
//     Variable kernel_;
//   };
//   Linear linear(10);
//   Tensor y = linear(x);                        // the first call builds it for x's shape
//   Tensor z = linear(x, {.training = true});
//
// To share variables, share the layer: hand it on by reference or shared_ptr. A layer has a name, in the manner of Keras:
// the class's, in lower case, made unique by a number ("linear", "linear_1"), or the one it was given. In a graph the
// nodes of a call are named name/…; an error inside a call says which layer it was.
//
// Threads: calls of a built layer may run at once from several threads; everything else is for one thread at a time.
#pragma once
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/export.h"
#include "eager/trackable.h"

TANDEM_EXPORT_BEGIN
namespace tandem::nn {

// The first value of a variable of this shape.
using Initializer = std::function<Tensor(const Shape& shape, DType dtype)>;
// A scalar that is added to the loss for a variable's value.
using Regularizer = std::function<Tensor(const Tensor& value)>;
// What a layer does with its result, element by element or row by row: Relu, Softmax, a lambda.
using ActivationFunction = std::function<Tensor(const Tensor& x)>;

struct CallOptions {
  std::optional<bool> training = std::nullopt;  // left out: that of the layer whose Call makes this call, else false
  Tensor mask = {};                             // bool [batch, time]: false for steps that are to be left out
};

struct LayerOptions {
  std::string name = {};                   // empty: made from the class's name
  Shape input_shape = Shape::Unknown();    // of one example, without the batch: a Sequential whose first layer says so builds at once
  DType dtype = kFloat32;                  // of variables
  bool trainable = true;
};

struct AddVariableOptions {
  Initializer initializer = {};  // Glorot's uniform numbers when left out
  Regularizer regularizer = {};
  bool trainable = true;
  DType dtype = DType::kInvalid;  // the layer's
};

class Layer : public Trackable {
 public:
  // Builds at the first call. INVALID_ARGUMENT when input does not fit what the layer was built for; what Build and Call
  // throw as tandem::Error comes out with `; layer "NAME"` at its end.
  Tensor operator()(const Tensor& input, const CallOptions& options = {});
  // Layers with several inputs: layer(Tensors{a, b}). A template, so that braces always mean one tensor.
  template <std::same_as<Tensors> T>
  Tensor operator()(const T& inputs, const CallOptions& options = {}) {
    return CallMany(inputs, options);
  }

  // What a subclass writes. Build makes the variables, from the first input's shape, which may have unknown dimensions.
  virtual void Build(const Shape& /*input*/) {}
  virtual Tensor Call(const Tensor& input);
  virtual void BuildList(const std::vector<Shape>& inputs) { Build(inputs[0]); }
  virtual Tensor CallList(const Tensors& inputs);
  // The mask that goes with the result of a call: undefined, unless the layer keeps or makes one.
  virtual Tensor ComputeMask(const Tensor& /*input*/, const Tensor& /*mask*/) { return {}; }

  // The shape a call would give, unknown dimensions allowed: -1 for the batch. Builds the layer, runs nothing.
  Shape OutputShape(const Shape& input, DType dtype = kFloat32);

  const std::string& name() const;
  std::string class_name() const;  // "Dense"
  bool built() const { return built_; }
  // Of the first call, or of the input_shape that was given; nothing before.
  const std::optional<Shape>& output_shape() const { return output_shape_; }
  // Of one example, as the options said; unknown when they did not.
  const Shape& input_shape() const { return options_.input_shape; }

  // Not trainable: no variable of it or of its layers is among trainable_variables(). Also of all layers inside.
  bool trainable() const { return options_.trainable; }
  void set_trainable(bool trainable);

  // Its own variables in the order of AddVariable, then those of its layers in the order of Track; none twice. The
  // reference is good until a layer is built, tracked or switched.
  const std::vector<Variable>& variables() const { return Collected().all; }
  const std::vector<Variable>& trainable_variables() const { return Collected().trainable; }
  const std::vector<Variable>& non_trainable_variables() const { return Collected().frozen; }
  // One scalar for each trainable variable that has a regularizer, computed now: under a tape, differentiable.
  Tensors losses() const;
  const std::vector<std::shared_ptr<Layer>>& layers() const { return layers_; }

 protected:
  explicit Layer(LayerOptions options = {});
  Layer(Layer&&) = default;
  Layer& operator=(Layer&&) = default;

  // INVALID_ARGUMENT when a dimension is unknown, ALREADY_EXISTS for a name that is taken.
  Variable AddVariable(std::string_view name, const Shape& shape, const AddVariableOptions& options = {});
  // Takes over a layer (which must be a temporary or moved), or shares one. The reference is good as long as this layer.
  template <class L>
    requires(std::derived_from<L, Layer> && !std::is_lvalue_reference_v<L>)
  L& Track(std::string_view name, L&& layer) {
    return Track(name, std::make_shared<L>(std::move(layer)));
  }
  template <std::derived_from<Layer> L>
  L& Track(std::string_view name, std::shared_ptr<L> layer) {
    L& reference = *layer;
    TrackLayer(name, std::move(layer));
    return reference;
  }

  // Runs body as a call of this layer: builds it, checks a single input, names nodes and errors. For calls of another form
  // than operator(). body gives something that can be made empty.
  template <class F>
  auto Invoke(std::span<const Tensor> inputs, const CallOptions& options, F&& body) {
    std::invoke_result_t<F&> result;
    auto run = [&] { result = body(); };
    InvokeErased(inputs, options, [](void* f) { (*static_cast<decltype(run)*>(f))(); }, &run);
    return result;
  }
  // Of the call that is running.
  bool training() const;
  const Tensor& mask() const;
  DType dtype() const { return options_.dtype; }

  // From now on inputs must have this rank, or at least min_rank, and this size along axis (negative: from the end).
  struct InputSpec {
    int rank = -1;
    int min_rank = 0;
    int axis = 0;
    int64_t size = -1;  // any
  };
  void ExpectInput(const InputSpec& spec) { spec_ = spec; }
  // "Dense: units is 0, must be at least 1" from "units is 0, …", as INVALID_ARGUMENT.
  [[noreturn, gnu::cold]] void Fail(const std::string& message) const;
  // The size of a dimension that variables depend on: fails when it is unknown or there is none such.
  int64_t KnownDim(const Shape& input, int axis) const;

 private:
  struct Weight {
    std::string name;
    Variable variable;
    Regularizer regularizer;
  };
  // Valid while its epoch is that of all layers: any new variable, layer or switch begins another.
  struct Variables {
    uint64_t epoch = 0;
    std::vector<Variable> all, trainable, frozen;
  };

  Tensor CallMany(const Tensors& inputs, const CallOptions& options);
  void InvokeErased(std::span<const Tensor> inputs, const CallOptions& options, void (*body)(void*), void* context);
  void BuildOnce(std::span<const Tensor> inputs);
  Tensor Remember(Tensor y);
  void CheckInput(const Tensor& input) const;
  void TrackLayer(std::string_view name, std::shared_ptr<Layer> layer);
  const Variables& Collected() const;
  [[noreturn, gnu::cold]] void Rethrow(const class Error& error) const;

  LayerOptions options_;
  InputSpec spec_;
  bool built_ = false, building_ = false;
  std::optional<Shape> output_shape_;
  mutable std::string name_;
  std::vector<Weight> weights_;
  std::vector<std::shared_ptr<Layer>> layers_;
  mutable Variables collected_;
};

// Layers made from now on are numbered from the start again: "dense" after "dense_7". For tests and new sessions.
void ResetLayerNames();

}  // namespace tandem::nn
TANDEM_EXPORT_END
