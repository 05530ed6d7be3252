// What large weights cost: a term that Layer::losses() gives for the loss.
//
//   nn::Dense(10, {.kernel_regularizer = nn::regularizers::L2(1e-4)});
//   Tensor loss = data_loss + AddN(model.losses());
#pragma once
#include "core/export.h"
#include "eager/nn/layer.h"

TANDEM_EXPORT_BEGIN
namespace tandem::nn::regularizers {

Regularizer L1(double l1 = .01);                       // l1 * sum |w|
Regularizer L2(double l2 = .01);                       // l2 * sum w²
Regularizer L1L2(double l1 = .01, double l2 = .01);    // both

}  // namespace tandem::nn::regularizers
TANDEM_EXPORT_END
