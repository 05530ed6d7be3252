// An autoencoder: digits squeezed through 32 numbers and drawn again, by a network that learns from the digits alone.
#include <algorithm>
#include <iostream>
#include <numeric>
#include <random>

#include "examples/digits.h"
#include "tandem.h"

namespace td = tandem;

class Autoencoder : public td::nn::Model {
 public:
  td::Tensor Call(const td::Tensor& images) override { return decoder_(encoder_(images)); }
  td::nn::Sequential& encoder() { return encoder_; }

 private:
  td::nn::Sequential& encoder_ = Track("encoder", td::nn::Sequential(td::nn::Flatten(), td::nn::Dense(128, {.activation = td::Relu}), td::nn::Dense(32)));
  td::nn::Sequential& decoder_ = Track("decoder", td::nn::Sequential(td::nn::Dense(128, {.activation = td::Relu}),
                                                                     td::nn::Dense(784, {.activation = td::Sigmoid}), td::nn::Reshape({28, 28, 1})));
};

// Every second row and column of an image, dark where the ink is.
void Draw(const td::Tensor& image) {
  const auto pixels = image.ToVector<float>();
  for (int row = 4; row < 24; row += 2) {
    for (int column = 2; column < 26; ++column) std::cout << " .:+#"[static_cast<int>(pixels[row * 28 + column] * 4.99f)];
    std::cout << '\n';
  }
}

int main() {
  td::SetRandomSeed(1);
  const Digits train = LoadDigits("examples/data", "train"), test = LoadDigits("examples/data", "test");
  Autoencoder model;
  const auto error = [&](const td::Tensor& images) { return td::Mean(td::Square(model(images) - images)); };

  const int64_t batch = 64, count = train.images.dim(0);
  for (int epoch = 1; epoch <= 5; ++epoch) {
    std::vector<int32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(epoch));
    for (int64_t begin = 0; begin + batch <= count; begin += batch) {
      const td::Tensor images = td::Gather(train.images, td::Tensor(std::span(order).subspan(begin, batch)));
      td::GradientTape tape;
      const td::Tensor loss = error(images);
      const std::vector<td::Variable> variables = model.variables();
      const td::Tensors gradients = tape.Gradient(loss, variables);
      // Plain gradient descent. A mean over 784 pixels has small gradients: hence the rate.
      for (size_t i = 0; i < variables.size(); ++i) td::Variable(variables[i]).AssignSub(gradients[i] * 20.);
    }
    std::cout << "epoch " << epoch << ": error on digits not seen " << error(test.images).ToString() << '\n';
  }

  const td::Tensor some = td::Slice(test.images, {0, 0, 0, 0}, {1, 28, 28, 1});
  std::cout << "a digit, its code of " << model.encoder()(some).dim(1) << " numbers drawn:\n";
  Draw(some);
  Draw(model(some));
  const float final_error = error(test.images).item<float>();
  std::cout << (final_error < .035f ? "learned" : "not learned") << '\n';
  return final_error < .035f ? 0 : 1;
}
