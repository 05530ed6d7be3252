#include "core/ints.h"

#include <algorithm>

namespace tandem {

Ints::Ints(std::span<const int64_t> values) {
  const Shape shape = {static_cast<int64_t>(values.size())};
  const auto fits = [](int64_t v) { return v >= INT32_MIN && v <= INT32_MAX; };
  if (!std::all_of(values.begin(), values.end(), fits)) {
    tensor_ = Tensor::FromData<int64_t>(shape, values);
    return;
  }
  const std::vector<int32_t> narrow(values.begin(), values.end());
  tensor_ = Tensor::FromData<int32_t>(shape, narrow);
}

Tensor Ints::as_int64() const {
  if (!is_list_ || tensor_.dtype() == kInt64) return tensor_;
  return Tensor(tensor_.ToVector<int64_t>());
}

std::vector<Tensor> SameIntType(std::initializer_list<const Ints*> lists) {
  const bool wide = std::any_of(lists.begin(), lists.end(), [](const Ints* l) { return l->tensor().dtype() == kInt64; });
  std::vector<Tensor> out;
  for (const Ints* list : lists) out.push_back(wide ? list->as_int64() : list->tensor());
  return out;
}

}  // namespace tandem
