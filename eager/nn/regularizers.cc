#include "eager/nn/regularizers.h"

#include "core/ops/arithmetic.h"
#include "core/ops/reduction.h"

namespace tandem::nn::regularizers {

Regularizer L1(double l1) {
  return [=](const Tensor& w) { return Sum(Abs(w)) * l1; };
}
Regularizer L2(double l2) {
  return [=](const Tensor& w) { return Sum(Square(w)) * l2; };
}
Regularizer L1L2(double l1, double l2) {
  return [=](const Tensor& w) { return Sum(Abs(w)) * l1 + Sum(Square(w)) * l2; };
}

}  // namespace tandem::nn::regularizers
