// Softmax and the losses built on it.
//
//   Tensor p = Softmax(logits);                                        // [..., classes], rows that sum to 1
//   auto [loss, backprop] = SparseSoftmaxCrossEntropyWithLogits(logits, labels);   // [batch, classes], int[batch]
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// Over the last axis, of floating dtypes, half types in float32: exp(x - max) / sum. A row of only -inf, or with NaN or
// +inf, gives NaN. INVALID_ARGUMENT for a scalar.
Tensor Softmax(Operand logits);
Tensor LogSoftmax(Operand logits);  // x - max - log(sum), exact where Softmax is 0

struct CrossEntropy {
  Tensor loss;      // [batch]
  Tensor backprop;  // [batch, classes]: the loss's derivative by the logits
};
// -sum(labels * LogSoftmax(features)) of each row; features, labels: [batch, classes], broadcast together. The rows of
// labels should sum to 1. INVALID_ARGUMENT when they are no matrices or do not broadcast.
CrossEntropy SoftmaxCrossEntropyWithLogits(const Tensor& features, const Tensor& labels, Origin origin = Here());
// The same with labels: int32 or int64 [batch], class numbers. INVALID_ARGUMENT names one outside [0, classes).
CrossEntropy SparseSoftmaxCrossEntropyWithLogits(const Tensor& features, const Tensor& labels, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
