// What a gradient is taken with respect to: tensors and variables, one or many.
#pragma once
#include <concepts>
#include <initializer_list>
#include <vector>

#include "core/export.h"
#include "core/variable.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

template <class T>
concept SourceLike = std::same_as<T, Tensor> || std::same_as<T, Variable>;

struct Source {
  Source(const Tensor& t) : tensor(t), dtype(t.dtype()) {}
  Source(const Variable& v) : tensor(v.handle()), dtype(v.dtype()), variable(true), shape(v.defined() ? v.shape() : Shape()) {}

  Tensor tensor;  // the tensor itself, or the variable's handle
  DType dtype;
  bool variable = false;
  Shape shape;    // of a variable
};

class Sources {
 public:
  Sources(std::initializer_list<Source> list) : list_(list) {}
  Sources(const Tensors& tensors) : list_(tensors.begin(), tensors.end()) {}
  Sources(const std::vector<Variable>& variables) : list_(variables.begin(), variables.end()) {}

  size_t size() const { return list_.size(); }
  const Source& operator[](size_t i) const { return list_[i]; }
  auto begin() const { return list_.begin(); }
  auto end() const { return list_.end(); }

 private:
  std::vector<Source> list_;
};

}  // namespace tandem
TANDEM_EXPORT_END
