#include <cmath>
#include <memory>

#include "tandem.h"
#include "tools/bench/peers.h"

namespace tandem::bench {
namespace {

constexpr double kRate = 0.01;

Tensor Weights(const Ints& shape) { return RandomNormal(shape, 0., 0.05, {.seed = 1}); }

using Parameters = std::vector<Variable>;
using Loss = std::function<Tensor(const Parameters&, const Tensor& images, const Tensor& labels)>;

Parameters Make(const std::vector<std::vector<int64_t>>& shapes) {
  Parameters p;
  for (const auto& shape : shapes) p.emplace_back(Weights(shape));
  return p;
}

Tensor CrossEntropyLoss(const Tensor& logits, const Tensor& labels) { return Mean(SparseSoftmaxCrossEntropyWithLogits(logits, labels).loss); }
Tensor DenseLayer(const Tensor& x, const Variable& w, const Variable& b) { return BiasAdd(MatMul(x, w), b); }

// 784-256-128-10.
Parameters MlpParameters() { return Make({{784, 256}, {256}, {256, 128}, {128}, {128, 10}, {10}}); }
Tensor Mlp(const Parameters& p, const Tensor& x, const Tensor& y) {
  return CrossEntropyLoss(DenseLayer(Relu(DenseLayer(Relu(DenseLayer(x, p[0], p[1])), p[2], p[3])), p[4], p[5]), y);
}

// Two 5x5 convolutions with pooling, two dense layers.
Parameters LeNetParameters() { return Make({{5, 5, 1, 16}, {16}, {5, 5, 16, 32}, {32}, {1568, 128}, {128}, {128, 10}, {10}}); }
Tensor LeNet(const Parameters& p, const Tensor& x, const Tensor& y) {
  const auto block = [](const Tensor& t, const Variable& w, const Variable& b) {
    return MaxPool(Relu(BiasAdd(Conv2D(t, w, {.padding = "SAME"}), b)));
  };
  const Tensor h = Reshape(block(block(x, p[0], p[1]), p[2], p[3]), {-1, 1568});
  return CrossEntropyLoss(DenseLayer(Relu(DenseLayer(h, p[4], p[5])), p[6], p[7]), y);
}

void AddTraining(const std::string& row, const Loss& loss, const std::function<Parameters()>& make, const Tensor& images, const Tensor& labels,
                 std::vector<PeerRow>& rows) {
  rows.push_back({row, "eager+GradientTape", 1, [=, p = make()] {
                    GradientTape tape;
                    const Tensor l = loss(p, images, labels);
                    const Tensors gradients = tape.Gradient(l, p);
                    for (size_t i = 0; i < p.size(); ++i) Variable(p[i]).AssignSub(kRate * gradients[i]);
                  }});
  Graph graph;
  const Parameters p = make();
  {
    GraphScope scope(graph);
    const Tensor x = Placeholder(images.dtype(), images.shape(), "x"), y = Placeholder(labels.dtype(), labels.shape(), "y");
    const Tensor l = loss(p, x, y);
    const Tensors gradients = Gradients(l, p);
    Tensors updates;
    for (size_t i = 0; i < p.size(); ++i) updates.push_back(Variable(p[i]).AssignSub(kRate * gradients[i]));
    ControlDependencies after(updates);
    Identity(l, "loss");
  }
  const auto session = std::make_shared<Session>(graph);
  const Callable step = session->MakeCallable({"x:0", "y:0"}, {"loss:0"});
  rows.push_back({row, "Session callable", 1, [=] { Tensors l = (void(session), step({images, labels})); }});
}

constexpr int64_t kLstmInputs = 64, kLstmUnits = 128, kLstmSteps = 50;

// x: [steps, batch, inputs] -> [batch, units], the last output.
Tensor Lstm(const Tensors& p, const Tensor& x) {
  const int64_t batch = x.shape()[1];
  Tensor h = Zeros({batch, kLstmUnits}), c = h;
  for (const Tensor& step : Unstack(x)) {
    const Tensors gates = Split(MatMul(step, p[0]) + MatMul(h, p[1]) + p[2], 4, 1);
    c = Sigmoid(gates[1]) * c + Sigmoid(gates[0]) * Tanh(gates[2]);
    h = Sigmoid(gates[3]) * Tanh(c);
  }
  return h;
}

constexpr int64_t kRows = 64, kWidth = 256, kHeads = 4, kHidden = 1024;

Tensor LayerNorm(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const auto mean = [](const Tensor& t) { return Mean(t, Tensor({-1}), {.keep_dims = true}); };
  const Tensor d = x - mean(x);
  return d * Rsqrt(mean(d * d) + 1e-5) * weight + bias;
}

// One encoder layer of a transformer. x: [rows, width] -> [rows, width].
Tensor Encoder(const Tensors& p, Tensor x) {
  Tensors heads = Split(MatMul(x, p[0]) + p[1], 3, 1);
  for (Tensor& t : heads) t = Transpose(Reshape(t, {kRows, kHeads, kWidth / kHeads}), {1, 0, 2});
  const Tensor scores = BatchMatMul(heads[0], heads[1], {.adj_y = true}) * (1 / std::sqrt(static_cast<double>(kWidth / kHeads)));
  const Tensor attended = Reshape(Transpose(BatchMatMul(Softmax(scores), heads[2]), {1, 0, 2}), {kRows, kWidth});
  x = LayerNorm(x + MatMul(attended, p[2]) + p[3], p[4], p[5]);
  return LayerNorm(x + MatMul(Relu(MatMul(x, p[6]) + p[7]), p[8]) + p[9], p[10], p[11]);
}

void AddInference(const std::string& row, const std::function<Tensor(const Tensor&)>& model, const Tensor& x, std::vector<PeerRow>& rows) {
  const auto captured = Capture(model, {{x.dtype(), x.shape()}});
  rows.push_back({row, "captured", 1, [=] { Tensor y = captured(x); }});
  rows.push_back({row, "eager", 1, [=] { Tensor y = model(x); }});
}

}  // namespace

PeerItem ModelsPeer() {
  return {"5", "training steps and inference of small models", "us", [] {
            std::vector<PeerRow> rows;
            const auto labels = [](int64_t batch) { return RandomUniformInt({batch}, 0, 10, 7); };
            for (int64_t batch : {64, 1})
              AddTraining("MLP train b" + std::to_string(batch), Mlp, MlpParameters, Weights({batch, 784}), labels(batch), rows);
            AddTraining("LeNet train b32", LeNet, LeNetParameters, Weights({32, 28, 28, 1}), labels(32), rows);
            const Tensors lstm = {Weights({kLstmInputs, 4 * kLstmUnits}), Weights({kLstmUnits, 4 * kLstmUnits}), Weights({4 * kLstmUnits})};
            for (int64_t batch : {1, 16})
              AddInference("LSTM 50 steps b" + std::to_string(batch), [=](const Tensor& x) { return Lstm(lstm, x); },
                           Weights({kLstmSteps, batch, kLstmInputs}), rows);
            const Tensors encoder = {Weights({kWidth, 3 * kWidth}), Weights({3 * kWidth}), Weights({kWidth, kWidth}), Weights({kWidth}),
                                     Ones({kWidth}),                Weights({kWidth}),     Weights({kWidth, kHidden}), Weights({kHidden}),
                                     Weights({kHidden, kWidth}),    Weights({kWidth}),     Ones({kWidth}),             Weights({kWidth})};
            AddInference("encoder layer 64x256", [=](const Tensor& x) { return Encoder(encoder, x); }, Weights({kRows, kWidth}), rows);
            return rows;
          }};
}

}  // namespace tandem::bench
