// Ints: a list of integers as an argument (a shape, a permutation, axes): written out, held in a container, or computed
// by a tensor.
//
//   Reshape(x, {2, -1});
//   Reshape(x, ShapeOf(y));            // a tensor, also a symbolic one
//   Transpose(x, std::vector<int>{1, 0});
//
// A list becomes an int32 vector, or an int64 one when a value needs it; a tensor keeps its dtype.
#pragma once
#include <concepts>
#include <initializer_list>
#include <vector>

#include "core/export.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

class Ints {
 public:
  Ints() : Ints(std::span<const int64_t>()) {}
  Ints(std::initializer_list<int64_t> values) : Ints(std::span<const int64_t>(values.begin(), values.size())) {}
  Ints(std::span<const int64_t> values);
  Ints(const Shape& shape) : Ints(shape.dims()) {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Ints(T value) : Ints({static_cast<int64_t>(value)}) {}
  template <std::integral T>
  Ints(const std::vector<T>& values) : Ints(std::span<const int64_t>(std::vector<int64_t>(values.begin(), values.end()))) {}
  Ints(const Tensor& tensor) : tensor_(tensor), is_list_(false) {}

  // The values as a tensor of one dimension, or the tensor that was given.
  const Tensor& tensor() const { return tensor_; }
  // The same in int64 where the values were written out; a given tensor as it is.
  Tensor as_int64() const;
  bool is_list() const { return is_list_; }

 private:
  Tensor tensor_;
  bool is_list_ = true;
};

// Several lists for one op, whose dtypes must agree: int64 where a tensor among them or a value is.
std::vector<Tensor> SameIntType(std::initializer_list<const Ints*> lists);

}  // namespace tandem
TANDEM_EXPORT_END
