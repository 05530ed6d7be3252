// Capture: traces an eager function once into a graph, and gives a function that runs that graph, optimised.
//
//   auto f = Capture(model, {{kFloat32, {-1, 784}}});
//   Tensor logits = f(images);                       // any batch size: the signature leaves it open
//   f(Zeros({3, 10}));                               // Error: argument 0 is float32[3,10], the signature says …
//   f.graph().Save("model.pb");
//
//   auto step = Capture([&](Tensor x, Tensor y) {    // forward, gradient and update in one optimised graph
//     GradientTape tape;
//     Tensor loss = Loss(model(x), y);
//     optimizer.ApplyGradients(tape.Gradient(loss, model.variables()), model.variables());
//     return loss;
//   }, {{kFloat32, {-1, 784}}, {kInt32, {-1}}});
//
// A contract: the function is traced in Capture, never again. What it does beside computing tensors (printing, drawing
// C++ random numbers, reading clocks) happened at that one time; eager tensors it reads are constants, eager variables
// are shared, and its updates of them happen in the order of the program. A call that does not fit the signature is an
// error, never a silent retrace.
//
// In a graph (under a GraphScope, in another captured function) a call becomes a node that calls the function; what it
// needs of functions comes along. Under a GradientTape a call is differentiable: the gradient is a captured graph too.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/session.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct TensorSpec {
  DType dtype = kFloat32;
  Shape shape = Shape::Unknown();  // -1 where any size fits
  std::string name = {};           // of its placeholder; "arg0", "arg1", … when empty
};

struct CaptureOptions {
  SessionOptions session = {};
  std::string name = "captured";  // of the function in graphs that call it
};

class CapturedFunction {
 public:
  // One output. INVALID_ARGUMENT "Capture: argument 0 (x) …" when a call does not fit, or the function has several.
  template <class... T>
    requires(std::convertible_to<const T&, Tensor> && ...)
  Tensor operator()(const T&... arguments) const {
    return Single(Tensors{Tensor(arguments)...});
  }
  // Any number of outputs.
  Tensors Call(const Tensors& arguments, Origin origin = {}) const;

  // What was traced, not yet optimised; its nodes are named by input_names() and output_names().
  Graph graph() const;
  const std::vector<std::string>& input_names() const;   // "arg0:0", …
  const std::vector<std::string>& output_names() const;  // "MatMul:0", …
  // How often the function was traced: once.
  int traces() const;
  // Plans made so far: one for each combination of argument shapes.
  int64_t plans() const;

 private:
  friend CapturedFunction CaptureTensors(const std::function<Tensors(const Tensors&)>& function, const std::vector<TensorSpec>& signature,
                                         const CaptureOptions& options);
  struct State;
  Tensors Taped(const Tensors& arguments, Origin origin) const;
  Tensor Single(const Tensors& arguments) const;
  std::shared_ptr<State> state_;
};

// The general form: tensors in, tensors out. Errors of the function come out as it throws them.
CapturedFunction CaptureTensors(const std::function<Tensors(const Tensors&)>& function, const std::vector<TensorSpec>& signature,
                                const CaptureOptions& options = {});

// Under this name eager calls of PartitionedCall and the like find the function. ALREADY_EXISTS.
void RegisterFunction(const std::string& name, const CapturedFunction& function);

namespace internal {

// The function's result as a list.
inline Tensors AsTensors(Tensor t) { return {std::move(t)}; }
inline Tensors AsTensors(Tensors t) { return t; }

// Calls function with as many arguments as there are tensors, as far as it can be called so.
template <class F, size_t... I>
Tensors Spread(F& function, const Tensors& in, std::index_sequence<I...>) {
  if constexpr (std::is_invocable_v<F&, decltype((void)I, in[0])...>) return AsTensors(function(in[I]...));
  else throw Error(Code::kInvalidArgument, "Capture: the function does not take " + std::to_string(sizeof...(I)) + " tensors");
}
template <class F>
Tensors Invoke(F& function, const Tensors& in) {
  if constexpr (std::is_invocable_v<F&, const Tensors&>) return AsTensors(function(in));
  else
    switch (in.size()) {
      case 0: return Spread(function, in, std::make_index_sequence<0>());
      case 1: return Spread(function, in, std::make_index_sequence<1>());
      case 2: return Spread(function, in, std::make_index_sequence<2>());
      case 3: return Spread(function, in, std::make_index_sequence<3>());
      case 4: return Spread(function, in, std::make_index_sequence<4>());
      case 5: return Spread(function, in, std::make_index_sequence<5>());
      case 6: return Spread(function, in, std::make_index_sequence<6>());
      default: throw Error(Code::kInvalidArgument, "Capture: more than 6 arguments; let the function take a Tensors");
    }
}

}  // namespace internal

// function: callable with one Tensor for each entry of the signature, or with a Tensors; gives a Tensor or Tensors.
template <class F>
CapturedFunction Capture(F&& function, const std::vector<TensorSpec>& signature, const CaptureOptions& options = {}) {
  return CaptureTensors([&function](const Tensors& in) { return internal::Invoke(function, in); }, signature, options);
}

}  // namespace tandem
TANDEM_EXPORT_END
