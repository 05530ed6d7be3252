// A tensor as the bytes of its TensorProto.
#pragma once
#include <string>
#include <string_view>

#include "core/status.h"
#include "core/tensor.h"

namespace tandem {

// Errors of TensorToProto; INVALID_ARGUMENT for 2 GiB and more.
absl::StatusOr<std::string> SerializeTensor(const Tensor& tensor);
// Errors of TensorFromProto; DATA_LOSS for bytes that are no TensorProto.
absl::StatusOr<Tensor> ParseTensor(std::string_view bytes);

}  // namespace tandem
