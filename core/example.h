// Serialized tf.train.Examples as tensors.
//
//   data::TFRecord("a.tfrecord").ParseExample({data::FixedLen("image", kFloat32, {784}), data::FixedLen("label", kInt64, {})})
//   data::TFRecord("a.tfrecord").Batch(32).ParseExample({data::VarLen("tokens", kInt64)})    // [32, longest]
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/export.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// What to take from an Example: float32 from its float_list, int64 from int64_list, string from bytes_list.
struct ExampleFeature {
  std::string key;
  DType dtype;
  bool fixed = true;            // as many values as `shape` has elements; else any number, as a vector
  Shape shape = {};             // of fixed features
  Tensor default_value = {};    // fixed: where the key is missing, one value or of `shape`; undefined: the key must be there.
                                // else: one value, which fills up the shorter vectors of a batch; undefined: 0 or ""
};
// FixedLen(key, dtype, shape): [shape], and [n, shape] of n Examples.
inline ExampleFeature FixedLen(std::string key, DType dtype, Shape shape = {}, Tensor default_value = {}) {
  return {std::move(key), dtype, true, std::move(shape), std::move(default_value)};
}
// VarLen(key, dtype): [count] (a missing key has 0), and [n, highest count] of n Examples. TensorFlow has a sparse tensor
// here; this is its dense form.
inline ExampleFeature VarLen(std::string key, DType dtype, Tensor padding = {}) {
  return {std::move(key), dtype, false, {}, std::move(padding)};
}

// serialized: a string scalar, or [n]. One tensor a feature. INVALID_ARGUMENT names Example and key: bytes that are no
// Example, a missing key, another kind of list, another number of values.
Tensors ParseExample(const Tensor& serialized, const std::vector<ExampleFeature>& features);

}  // namespace tandem
TANDEM_EXPORT_END
