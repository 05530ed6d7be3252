#include "eager/nn/recurrent.h"

#include "core/ops/arithmetic.h"
#include "core/ops/bias_add.h"
#include "core/ops/comparison.h"
#include "core/ops/concat.h"
#include "core/ops/fill.h"
#include "core/ops/likeness.h"
#include "core/ops/math.h"
#include "core/ops/matmul.h"
#include "core/ops/reshape.h"
#include "core/ops/slice.h"
#include "core/ops/transpose.h"
#include "core/status.h"
#include "eager/nn/initializers.h"

namespace tandem::nn {

Recurrent::Recurrent(const char* class_name, int64_t units, int64_t gates, int64_t num_states, RecurrentOptions options)
    : Layer({.name = options.name, .input_shape = options.input_shape, .dtype = options.dtype}),
      units_(units),
      gates_(gates),
      num_states_(static_cast<size_t>(num_states)),
      options_(std::move(options)) {
  if (units < 1) ThrowError(InvalidArgument(class_name, ": units is ", units, ", must be at least 1"));
  ExpectInput({.rank = 3});
}

Initializer Recurrent::BiasInitializer() const { return initializers::Zeros(); }

void Recurrent::Build(const Shape& input) {
  const int64_t in = KnownDim(input, -1);
  kernel_ = AddVariable("kernel", {in, gates_ * units_}, {.initializer = options_.kernel_initializer, .regularizer = options_.kernel_regularizer});
  recurrent_ = AddVariable("recurrent_kernel", {units_, gates_ * units_},
                           {.initializer = options_.recurrent_initializer ? options_.recurrent_initializer : initializers::Orthogonal(),
                            .regularizer = options_.recurrent_regularizer});
  if (options_.use_bias)
    bias_ = AddVariable("bias", BiasShape(), {.initializer = options_.bias_initializer ? options_.bias_initializer : BiasInitializer(),
                                              .regularizer = options_.bias_regularizer});
  ExpectInput({.rank = 3, .axis = 2, .size = in});
}

Tensor Recurrent::Activate(const Tensor& x) const { return options_.activation ? options_.activation(x) : Tanh(x); }
Tensor Recurrent::Gate(const Tensor& x) const { return options_.recurrent_activation ? options_.recurrent_activation(x) : Sigmoid(x); }

Tensor Recurrent::Call(const Tensor& input) { return Unroll(input, {}).output; }

RecurrentResult Recurrent::Run(const Tensor& input, const Tensors& initial_states, const CallOptions& options) {
  return Invoke({&input, 1}, options, [&] { return Unroll(input, initial_states); });
}

Tensor Recurrent::ComputeMask(const Tensor&, const Tensor& mask) {
  if (!options_.return_sequences) return {};
  return mask.defined() && options_.go_backwards ? Reverse(mask, {1}) : mask;
}

RecurrentResult Recurrent::Unroll(const Tensor& input, const Tensors& initial_states) {
  const int64_t batch = input.dim(0), steps = input.dim(1);
  if (steps < 0)
    ThrowError(absl::UnimplementedError(absl::StrCat(class_name(), ": input is ", input.shape().ToString(), ", the number of steps (dim 1) must be known")));
  if (!initial_states.empty() && initial_states.size() != num_states_)
    Fail(absl::StrCat("takes ", num_states_, " initial states, got ", initial_states.size()));
  Tensors states = initial_states;
  if (states.empty()) {
    const Ints shape = batch >= 0 ? Ints({batch, units_}) : Ints(Concat({Slice(ShapeOf(input), {0}, {1}), Ints({units_}).tensor()}, 0));
    states.assign(num_states_, Zeros(shape, input.dtype()));
  }
  // The product of all steps' inputs at once; then a step is a slice of it.
  Tensor x = MatMul(tandem::Reshape(input, {-1, kernel_.shape()[0]}), kernel_);
  if (options_.use_bias) x = BiasAdd(x, InputBias());
  x = tandem::Reshape(x, batch >= 0 ? Ints({batch, steps, gates_ * units_}) : Ints({-1, steps, gates_ * units_}));
  const Tensors parts = Unstack(x, 1, steps), weights = StepWeights();
  Tensors masks;
  if (mask().defined()) masks = Unstack(ExpandDims(mask(), -1), 1, steps);

  Tensors outputs;
  const Tensor zero = ZerosLike(states[0]);
  Tensor output = zero;
  for (int64_t k = 0; k < steps; ++k) {
    const int64_t t = options_.go_backwards ? steps - 1 - k : k;
    if (masks.empty()) {
      Step(parts[t], weights, states);
      output = states[0];
    } else {
      Tensors next = states;
      Step(parts[t], weights, next);
      output = Select(masks[t], next[0], options_.zero_output_for_mask ? zero : output);
      for (size_t i = 0; i < states.size(); ++i) states[i] = Select(masks[t], next[i], states[i]);
    }
    if (options_.return_sequences) outputs.push_back(output);
  }
  if (options_.return_sequences) output = outputs.empty() ? tandem::Reshape(output, {-1, 0, units_}) : Stack(outputs, 1);
  return {output, std::move(states)};
}

void SimpleRNN::Step(const Tensor& x, const Tensors& weights, Tensors& states) const { states[0] = Activate(x + MatMul(states[0], weights[0])); }

Initializer LSTM::BiasInitializer() const {
  if (!options_.unit_forget_bias) return initializers::Zeros();
  return [units = units_](const Shape&, DType dtype) {
    return Concat({Zeros({units}, dtype), Ones({units}, dtype), Zeros({2 * units}, dtype)}, 0);
  };
}

void LSTM::Step(const Tensor& x, const Tensors& weights, Tensors& states) const {
  const Tensors gates = Split(x + MatMul(states[0], weights[0]), 4, 1);
  const Tensor c = Gate(gates[1]) * states[1] + Gate(gates[0]) * Activate(gates[2]);
  states[0] = Gate(gates[3]) * Activate(c);
  states[1] = c;
}

Shape GRU::BiasShape() const { return options_.reset_after ? Shape{2, 3 * units_} : Shape{3 * units_}; }
Tensor GRU::InputBias() const { return options_.reset_after ? Tensor(bias_)[0] : Tensor(bias_); }

// reset_after: the kernel, and its bias if there is one. Before: the kernel of the gates z and r, and that of h.
Tensors GRU::StepWeights() const {
  const Tensor kernel = recurrent_;
  if (!options_.reset_after) return {Slice(kernel, {0, 0}, {-1, 2 * units_}), Slice(kernel, {0, 2 * units_}, {-1, -1})};
  if (!options_.use_bias) return {kernel};
  return {kernel, Tensor(bias_)[1]};
}

void GRU::Step(const Tensor& x, const Tensors& weights, Tensors& states) const {
  const Tensor& h = states[0];
  const Tensors in = Split(x, 3, 1);
  Tensor z, candidate;
  if (options_.reset_after) {
    const Tensor product = MatMul(h, weights[0]);
    const Tensors inner = Split(weights.size() > 1 ? BiasAdd(product, weights[1]) : product, 3, 1);
    z = Gate(in[0] + inner[0]);
    candidate = in[2] + Gate(in[1] + inner[1]) * inner[2];
  } else {
    const Tensors inner = Split(MatMul(h, weights[0]), 2, 1);
    z = Gate(in[0] + inner[0]);
    candidate = in[2] + MatMul(Gate(in[1] + inner[1]) * h, weights[1]);
  }
  states[0] = z * h + (1 - z) * Activate(candidate);
}

Bidirectional::Bidirectional(const Recurrent& layer, BidirectionalOptions options)
    : Layer({.name = std::move(options.name), .input_shape = layer.input_shape()}), merge_mode_(options.merge_mode) {
  RecurrentOptions there = layer.options();
  there.zero_output_for_mask = there.return_sequences;
  RecurrentOptions back = there;
  there.name = "forward_" + layer.name();
  back.name = "backward_" + layer.name();
  back.go_backwards = !back.go_backwards;
  forward_ = &Track("forward_layer", layer.Another(std::move(there)));
  backward_ = &Track("backward_layer", layer.Another(std::move(back)));
  ExpectInput({.rank = 3});
}

Tensor Bidirectional::Call(const Tensor& input) {
  const CallOptions options = {.mask = mask()};
  const Tensor there = (*forward_)(input, options);
  Tensor back = (*backward_)(input, options);
  if (backward_->options().return_sequences) back = Reverse(back, {1});
  switch (merge_mode_) {
    case MergeMode::kConcat: return Concat({there, back}, -1);
    case MergeMode::kSum: return there + back;
    case MergeMode::kMul: return there * back;
    case MergeMode::kAve: return (there + back) / 2;
  }
  return {};
}

}  // namespace tandem::nn
