// Elements put at, or added up by, an index.
//
//   ScatterNd({{1}, {3}}, {10, 20}, {5});                     // [0 10 0 20 0]
//   TensorScatterUpdate(x, {{0}}, {7});                       // x with x[0] = 7
//   UnsortedSegmentSum({1, 2, 3}, {0, 1, 0}, 2);              // [4 2]
#pragma once
#include "core/export.h"
#include "core/ints.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// Zeros of a shape with updates added in. indices: [I..., k], updates: [I..., shape after its first k axes]. Duplicates
// add up. INVALID_ARGUMENT names an index that is out of range.
Tensor ScatterNd(const Tensor& indices, const Tensor& updates, const Ints& shape, Origin origin = Here());

// tensor with updates in place of the slices at indices; of duplicates the last wins.
Tensor TensorScatterUpdate(const Tensor& tensor, const Tensor& indices, const Tensor& updates, Origin origin = Here());

// data: [S..., D...], segment_ids: [S...] -> [num_segments, D...]: the sum of the slices with each id. Negative ids are
// left out; INVALID_ARGUMENT names one that is too large.
Tensor UnsortedSegmentSum(const Tensor& data, const Tensor& segment_ids, Operand num_segments, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
