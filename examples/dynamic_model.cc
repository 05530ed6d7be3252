// A model whose structure depends on the data: truth of expressions like ((1 & 0) | 1), read by a network that is put
// together anew for each expression, in the shape of its tree. It learns from small trees and is asked about large ones.
#include <iostream>
#include <memory>
#include <random>

#include "tandem.h"

namespace td = tandem;

struct Tree {
  char op = 0;  // '&' or '|'; 0 in a leaf
  bool value = false;
  std::unique_ptr<Tree> left, right;
};

std::unique_ptr<Tree> RandomTree(int depth, std::mt19937& random) {
  auto tree = std::make_unique<Tree>();
  if (depth == 0 || random() % 6 == 0) {
    tree->value = random() % 2;
    return tree;
  }
  tree->op = random() % 2 ? '&' : '|';
  tree->left = RandomTree(depth - 1, random);
  tree->right = RandomTree(depth - 1, random);
  tree->value = tree->op == '&' ? tree->left->value && tree->right->value : tree->left->value || tree->right->value;
  return tree;
}

std::string ToString(const Tree& t) {
  return t.op ? "(" + ToString(*t.left) + " " + t.op + " " + ToString(*t.right) + ")" : t.value ? "1" : "0";
}

class TreeModel : public td::nn::Model {
 public:
  // The more layers the larger the tree: plain recursion, recorded by the tape as it happens.
  td::Tensor Logit(const Tree& tree) { return truth_(Meaning(tree)); }

 private:
  td::Tensor Meaning(const Tree& t) {
    if (!t.op) return leaf_(td::Tensor({t.value ? 1 : 0}));  // [1, 8]
    return (t.op == '&' ? and_ : or_)(td::Concat({Meaning(*t.left), Meaning(*t.right)}, 1));
  }
  td::nn::Embedding& leaf_ = Track("leaf", td::nn::Embedding(2, 8));
  td::nn::Dense& and_ = Track("and", td::nn::Dense(8, {.activation = td::Tanh}));
  td::nn::Dense& or_ = Track("or", td::nn::Dense(8, {.activation = td::Tanh}));
  td::nn::Dense& truth_ = Track("truth", td::nn::Dense(1));
};

int main() {
  td::SetRandomSeed(1);
  std::mt19937 random(1);
  TreeModel model;
  double running = 0;
  for (int step = 1; step <= 1500; ++step) {
    const auto tree = RandomTree(3, random);
    const td::Tensor label = {{tree->value ? 1. : 0.}};
    td::GradientTape tape;
    const td::Tensor loss = td::losses::SigmoidCrossEntropy(label, model.Logit(*tree));
    const std::vector<td::Variable> variables = model.variables();
    const td::Tensors gradients = tape.Gradient(loss, variables);
    for (size_t i = 0; i < variables.size(); ++i)
      if (gradients[i].defined()) td::Variable(variables[i]).AssignSub(gradients[i] * .1);  // undefined: not in this tree
    running += loss.item<double>();
    if (step % 500 == 0) std::cout << "step " << step << ": loss " << std::exchange(running, 0) / 500 << '\n';
  }

  int right = 0;
  const int asked = 200;
  for (int i = 0; i < asked; ++i) {
    const auto tree = RandomTree(6, random);
    const bool answer = bool(td::Reshape(model.Logit(*tree), {}) > 0.);
    if (i == 0) std::cout << ToString(*tree) << " is " << (answer ? "true" : "false") << '\n';
    right += answer == tree->value;
  }
  std::cout << "deeper trees right: " << (right >= .95 * asked ? "nearly all" : std::to_string(right) + " of " + std::to_string(asked)) << '\n';
}
