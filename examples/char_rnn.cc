// A network that writes, letter by letter: a GRU (https://arxiv.org/abs/1406.1078) learns five sonnets. The training step is
// captured as one optimised graph; writing calls the same cell eagerly.
//
//   bazel run //examples:char_rnn
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <random>

#include "examples/progress.h"
#include "tandem.h"

namespace td = tandem;

constexpr int64_t kEmbedding = 32, kUnits = 128, kBatch = 16, kLength = 32;
constexpr int kSteps = 150;

struct CharRnn {
  explicit CharRnn(int64_t letters) : embedding(Weights({letters, kEmbedding}, 1)), output(Weights({kUnits, letters}, 4)), output_bias(td::Zeros({letters})) {}

  static td::Variable Weights(const td::Shape& shape, int seed) { return td::Variable(td::RandomNormal(shape, 0., 0.1, {.seed = seed})); }

  // The state after a letter. letters: [batch], state: [batch, units].
  td::Tensor Step(const td::Tensor& letters, const td::Tensor& state) const {
    const td::Tensor x = td::Gather(embedding, letters);
    const td::Tensors gates = td::Split(td::Sigmoid(td::MatMul(td::Concat({x, state}, 1), gate_kernel) + gate_bias), 2, 1);
    const td::Tensor candidate = td::Tanh(td::MatMul(td::Concat({x, gates[0] * state}, 1), candidate_kernel) + candidate_bias);
    return gates[1] * state + (1 - gates[1]) * candidate;
  }
  td::Tensor Logits(const td::Tensor& state) const { return td::MatMul(state, output) + output_bias; }

  // text: [batch, length + 1]; each letter is guessed from those before it.
  td::Tensor Loss(const td::Tensor& text) const {
    const td::Tensors letters = td::Unstack(text, 1);
    td::Tensor state = td::Zeros({kBatch, kUnits}), sum = 0.f;
    for (int64_t t = 0; t < kLength; ++t) {
      state = Step(letters[t], state);
      sum = sum + td::Mean(td::SparseSoftmaxCrossEntropyWithLogits(Logits(state), letters[t + 1]).loss);
    }
    return sum / static_cast<double>(kLength);
  }

  td::Variable embedding;
  td::Variable gate_kernel = Weights({kEmbedding + kUnits, 2 * kUnits}, 2), gate_bias{td::Ones({2 * kUnits})};
  td::Variable candidate_kernel = Weights({kEmbedding + kUnits, kUnits}, 3), candidate_bias{td::Zeros({kUnits})};
  td::Variable output, output_bias;
};

int main() {
  std::ifstream file("examples/data/sonnets.txt");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string alphabet;
  std::map<char, int32_t> number;
  for (char c : text)
    if (number.emplace(c, static_cast<int32_t>(alphabet.size())).second) alphabet += c;

  const CharRnn rnn(static_cast<int64_t>(alphabet.size()));
  td::train::AdamOptimizer optimizer(0.01);
  const auto step = td::Capture(
      [&](const td::Tensor& batch) {
        const td::Tensor loss = rnn.Loss(batch);
        td::ControlDependencies trained({optimizer.Minimize(loss)});
        return td::Identity(loss);
      },
      {{td::kInt32, {kBatch, kLength + 1}}});

  std::mt19937 random(1);
  float loss = 0;
  {
    Progress progress("step", kSteps);
    for (int i = 0; i < kSteps; ++i) {
      std::vector<int32_t> batch;
      for (int64_t row = 0; row < kBatch; ++row) {
        const size_t begin = random() % (text.size() - kLength);
        for (int64_t t = 0; t <= kLength; ++t) batch.push_back(number[text[begin + t]]);
      }
      loss = step(td::Reshape(td::Tensor(batch), {kBatch, kLength + 1})).item<float>();
      progress.Step("loss " + std::to_string(loss));
    }
  }
  std::cout << "loss: " << loss << '\n';

  // Writes on from a beginning; the next letter is drawn by its probability, sharpened.
  std::string written = "Love";
  td::Tensor state = td::Zeros({1, kUnits});
  for (size_t i = 0; i < 400; ++i) {
    state = rnn.Step(td::Tensor({number[written[i]]}), state);
    if (i + 1 < written.size()) continue;
    const std::vector<float> p = td::Softmax(rnn.Logits(state) / 0.5).ToVector<float>();
    written += alphabet[std::discrete_distribution<int>(p.begin(), p.end())(random)];
  }
  std::cout << written << '\n';
  return loss < 1.6 ? 0 : 1;
}
