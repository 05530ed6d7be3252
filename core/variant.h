// Elements of variant tensors: any copyable object behind a counted, immutable pointer (a TensorList, …).
#pragma once
#include <memory>
#include <string_view>

namespace tandem {

class VariantValue {
 public:
  virtual ~VariantValue() = default;
  // TensorFlow's name of the type: "tensorflow::TensorList".
  virtual std::string_view type_name() const = 0;
};

using Variant = std::shared_ptr<const VariantValue>;

}  // namespace tandem
