// Recurrent layers: the same step over time, with a state that goes from step to step.
//
//   nn::LSTM(64)(x);                                        // [batch, time, features] -> [batch, 64], the last output
//   nn::GRU(64, {.return_sequences = true})(x);             // -> [batch, time, 64]
//   nn::LSTM lstm(64);
//   auto [output, states] = lstm.Run(x, states);            // from the states of the call before
//   nn::Bidirectional(nn::LSTM(64))(x);                     // both directions, joined: [batch, 128]
//   lstm(x, {.mask = mask});                                // bool [batch, time]: where false, output and states stay
//
// The steps are unrolled, so their number must be known when a graph is recorded: UNIMPLEMENTED else. Gates, formulas and
// variables are Keras's: kernel [features, gates * units], recurrent_kernel [units, gates * units] and bias, with the gates
// i f c o (LSTM) or z r h (GRU) side by side, so that a step is one product with each.
#pragma once
#include "core/export.h"
#include "eager/nn/layer.h"

TANDEM_EXPORT_BEGIN
namespace tandem::nn {

struct RecurrentOptions {
  bool return_sequences = false;  // the output of each step
  bool go_backwards = false;      // from the last step to the first; outputs in the order they are made
  bool zero_output_for_mask = false;  // steps that the mask leaves out give 0, not the output before
  ActivationFunction activation = {};            // Tanh
  ActivationFunction recurrent_activation = {};  // of gates: Sigmoid
  bool use_bias = true;
  bool unit_forget_bias = true;  // LSTM: the forget gate starts at 1
  bool reset_after = true;       // GRU: the reset gate acts on the product with the state; bias is [2, 3 units]
  Initializer kernel_initializer = {};     // GlorotUniform
  Initializer recurrent_initializer = {};  // Orthogonal
  Initializer bias_initializer = {};       // Zeros
  Regularizer kernel_regularizer = {};
  Regularizer recurrent_regularizer = {};
  Regularizer bias_regularizer = {};
  Shape input_shape = Shape::Unknown();
  std::string name = {};
  DType dtype = kFloat32;
};

struct RecurrentResult {
  Tensor output;
  Tensors states;  // [batch, units] each: h; LSTM: h, c
};

class Recurrent : public Layer {
 public:
  void Build(const Shape& input) override;
  Tensor Call(const Tensor& input) override;
  Tensor ComputeMask(const Tensor&, const Tensor& mask) override;
  // As a call, from given states (zeros when there are none) and with the last ones as a result.
  RecurrentResult Run(const Tensor& input, const Tensors& initial_states = {}, const CallOptions& options = {});

  int64_t units() const { return units_; }
  const RecurrentOptions& options() const { return options_; }
  // A layer of this kind with the same units and other options: variables of its own.
  virtual std::shared_ptr<Recurrent> Another(RecurrentOptions options) const = 0;

 protected:
  Recurrent(const char* class_name, int64_t units, int64_t gates, int64_t num_states, RecurrentOptions options);
  // What every step reads besides its states, read from the variables once a call.
  virtual Tensors StepWeights() const { return {recurrent_}; }
  // Makes the states of the next step. x: [batch, gates * units], the product of the step's input with kernel, plus bias.
  virtual void Step(const Tensor& x, const Tensors& weights, Tensors& states) const = 0;
  virtual Shape BiasShape() const { return {gates_ * units_}; }
  // The part of the bias that goes to the product of the inputs.
  virtual Tensor InputBias() const { return bias_; }
  virtual Initializer BiasInitializer() const;

  Tensor Activate(const Tensor& x) const;
  Tensor Gate(const Tensor& x) const;

  int64_t units_, gates_;
  size_t num_states_;
  RecurrentOptions options_;
  Variable kernel_, recurrent_, bias_;

 private:
  RecurrentResult Unroll(const Tensor& input, const Tensors& initial_states);
};

class SimpleRNN : public Recurrent {
 public:
  explicit SimpleRNN(int64_t units, RecurrentOptions options = {}) : Recurrent("SimpleRNN", units, 1, 1, std::move(options)) {}
  std::shared_ptr<Recurrent> Another(RecurrentOptions options) const override { return std::make_shared<SimpleRNN>(units_, std::move(options)); }

 protected:
  void Step(const Tensor& x, const Tensors& weights, Tensors& states) const override;
};

class LSTM : public Recurrent {
 public:
  explicit LSTM(int64_t units, RecurrentOptions options = {}) : Recurrent("LSTM", units, 4, 2, std::move(options)) {}
  std::shared_ptr<Recurrent> Another(RecurrentOptions options) const override { return std::make_shared<LSTM>(units_, std::move(options)); }

 protected:
  void Step(const Tensor& x, const Tensors& weights, Tensors& states) const override;
  Initializer BiasInitializer() const override;
};

class GRU : public Recurrent {
 public:
  explicit GRU(int64_t units, RecurrentOptions options = {}) : Recurrent("GRU", units, 3, 1, std::move(options)) {}
  std::shared_ptr<Recurrent> Another(RecurrentOptions options) const override { return std::make_shared<GRU>(units_, std::move(options)); }

 protected:
  Tensors StepWeights() const override;
  void Step(const Tensor& x, const Tensors& weights, Tensors& states) const override;
  Shape BiasShape() const override;
  Tensor InputBias() const override;
};

// How the two directions' outputs become one.
enum class MergeMode { kConcat, kSum, kMul, kAve };

struct BidirectionalOptions {
  MergeMode merge_mode = MergeMode::kConcat;
  std::string name = {};
};

// A recurrent layer, and another of its kind that goes the other way. Sequences have zero_output_for_mask, as Keras's do.
class Bidirectional : public Layer {
 public:
  template <std::derived_from<Recurrent> R>
  explicit Bidirectional(R&& layer, BidirectionalOptions options = {}) : Bidirectional(static_cast<const Recurrent&>(layer), std::move(options)) {}
  Tensor Call(const Tensor& input) override;
  Tensor ComputeMask(const Tensor& input, const Tensor& mask) override { return forward_->ComputeMask(input, mask); }

 private:
  Bidirectional(const Recurrent& layer, BidirectionalOptions options);
  Recurrent* forward_;   // owned as layers()
  Recurrent* backward_;
  MergeMode merge_mode_;
};

}  // namespace tandem::nn
TANDEM_EXPORT_END
