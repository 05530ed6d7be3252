// Joining strings element by element.
//
//   StringJoin({prefix, "part"}, "/");
#pragma once
#include <string_view>

#include "core/export.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// inputs: string tensors of one shape, or scalars, which count for every element. INVALID_ARGUMENT for two other shapes.
Tensor StringJoin(const Tensors& inputs, std::string_view separator = "", Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
