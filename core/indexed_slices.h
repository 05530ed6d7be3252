// Gradients of picked rows: dense to everyone, and known to the optimizer as the few rows that are not zero.
//
//   const Tensor g = GradientOfRows(dy, indices, table_shape);    // [V, D...], V large, few rows picked
//   if (auto slices = SlicesOf(g)) … slices->values, slices->indices …
//
// Eagerly such a tensor's memory is mapped zero pages with the picked rows' sums written in, so that it costs what the
// rows cost; in a graph it is an UnsortedSegmentSum, whose inputs are asked for. The sum of two of them is one of them.
#pragma once
#include <optional>
#include <span>

#include "core/ints.h"
#include "core/tensor.h"

namespace tandem {

// Row i of values belongs to row indices[i] of the dense tensor; indices may repeat.
struct IndexedSlices {
  Tensor values;   // [R, D...]
  Tensor indices;  // [R]
};

// The gradient of rows picked from a table of this shape, [V, D...]: dy, [I..., D...], summed by indices, [I...], which
// point into the table (the gather checked them). The ops that compute it are recorded where a graph or a tape records.
Tensor GradientOfRows(const Tensor& dy, const Tensor& indices, const Ints& table_shape, const Shape& static_shape);

// The rows of such a gradient; nothing for other tensors.
std::optional<IndexedSlices> SlicesOf(const Tensor& gradient);

// The sum of such gradients of one shape as one of them; undefined when not all are.
Tensor SumOfSlices(std::span<const Tensor> parts);

}  // namespace tandem
