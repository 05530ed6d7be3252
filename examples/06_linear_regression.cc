// A line fitted to noisy points: y = 3 x + 2.
//
//   bazel run //examples:06_linear_regression
#include <cmath>
#include <iomanip>
#include <iostream>

#include "tandem.h"

namespace td = tandem;

int main() {
  // A toy data set of points around 3 x + 2.
  const int64_t kExamples = 2000;
  const td::Tensor inputs = td::RandomNormal({kExamples}, 0., 1., {.seed = 1}), noise = td::RandomNormal({kExamples}, 0., 1., {.seed = 2});
  const td::Tensor outputs = inputs * 3. + 2. + noise;

  td::Variable W(5.), B(10.);
  const auto loss = [&] {
    const td::Tensor error = inputs * W + B - outputs;
    return td::Mean(td::Square(error));
  };

  std::cout << std::fixed << std::setprecision(3) << "Initial loss: " << loss().item<float>() << '\n';
  const double kLearningRate = 0.01;
  for (int step = 0; step < 300; ++step) {
    td::GradientTape tape;
    const td::Tensor error = loss();
    const td::Tensors gradients = tape.Gradient(error, {W, B});
    W.AssignSub(kLearningRate * gradients[0]);
    B.AssignSub(kLearningRate * gradients[1]);
    if (step % 20 == 0) std::cout << "Loss at step " << std::setfill('0') << std::setw(3) << step << ": " << loss().item<float>() << '\n';
  }
  std::cout << "Final loss: " << loss().item<float>() << '\n';
  std::cout << "W = " << W.item<float>() << ", B = " << B.item<float>() << '\n';
  return std::abs(W.item<float>() - 3) < 0.1 && std::abs(B.item<float>() - 2) < 0.1 ? 0 : 1;
}
