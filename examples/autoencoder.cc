// An autoencoder: digits squeezed through 32 numbers and drawn again, by a network that learns from the digits alone.
#include <iostream>
#include <vector>

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
  const auto train = Digits("examples/data", "train").Shuffle(4000, {.seed = 1}).Batch(64, {.drop_remainder = true});
  const auto [test_images, test_labels] = *Digits("examples/data", "test").Batch(1000).MakeIterator().Next();
  Autoencoder model;
  const auto error = [&](const td::Tensor& images) { return td::Mean(td::Square(model(images) - images)); };

  for (int epoch = 1; epoch <= 5; ++epoch) {
    for (const auto& [images, labels] : train) {  // a new order each time
      td::GradientTape tape;
      const td::Tensor loss = error(images);
      const std::vector<td::Variable> variables = model.variables();
      const td::Tensors gradients = tape.Gradient(loss, variables);
      // Plain gradient descent. A mean over 784 pixels has small gradients: hence the rate.
      for (size_t i = 0; i < variables.size(); ++i) td::Variable(variables[i]).AssignSub(gradients[i] * 20.);
    }
    std::cout << "epoch " << epoch << ": error on digits not seen " << error(test_images).ToString() << '\n';
  }

  const td::Tensor some = td::Slice(test_images, {0, 0, 0, 0}, {1, 28, 28, 1});
  std::cout << "a digit, its code of " << model.encoder()(some).dim(1) << " numbers drawn:\n";
  Draw(some);
  Draw(model(some));
  const float final_error = error(test_images).item<float>();
  std::cout << (final_error < .035f ? "learned" : "not learned") << '\n';
  return final_error < .035f ? 0 : 1;
}
