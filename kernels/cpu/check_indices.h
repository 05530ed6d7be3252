// Indices that arrive as tensors, checked against the axis they point into.
//
//   RETURN_IF_ERROR(CheckIndices<int32_t>(call, "indices", indices, rows));   // "indices[1] = 3, must be in [0, 3)"
#pragma once
#include <string>
#include <string_view>

#include "core/kernel.h"

namespace tandem {

// "[1,0]": where element `flat` of a tensor with these dimensions lies; "" in a scalar.
inline std::string Position(std::span<const int64_t> dims, int64_t flat) {
  if (dims.empty()) return "";
  std::string text;
  for (size_t i = dims.size(); i-- > 0; flat /= dims[i]) text = absl::StrCat(flat % dims[i], text.empty() ? "" : ",", text);
  return absl::StrCat("[", text, "]");
}

// INVALID_ARGUMENT naming the first index outside [0, limit), its position and the range.
template <class Index>
absl::Status CheckIndices(const KernelCall& call, std::string_view name, const TensorRep& indices, int64_t limit) {
  const Index* at = indices.as<Index>();
  for (int64_t i = 0; i < indices.count; ++i)
    if (at[i] < 0 || at[i] >= limit) [[unlikely]]
      return call.Error(std::string(name), Position(indices.dims_span(), i), " = ", at[i], ", must be in [0, ", limit, ")");
  return absl::OkStatus();
}

}  // namespace tandem
