// Activations of neural networks, element by element.
//
//   Tensor h = Relu(MatMul(x, w) + b);
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

Tensor Relu(Operand features);    // max(x, 0): NaN stays, -0 stays
Tensor Relu6(Operand features);   // min(max(x, 0), 6)
struct LeakyReluOptions {
  float alpha = 0.2f;
};
Tensor LeakyRelu(Operand features, LeakyReluOptions options = {});  // x where x > 0, else alpha x
Tensor Elu(Operand features);       // x where x >= 0, else exp(x) - 1
Tensor Softplus(Operand features);  // log(1 + exp(x))

}  // namespace tandem
TANDEM_EXPORT_END
