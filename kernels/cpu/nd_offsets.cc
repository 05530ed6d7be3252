#include "kernels/cpu/nd_offsets.h"

#include "core/int_values.h"
#include "kernels/cpu/check_indices.h"

namespace tandem {

absl::Status NdOffsets::Compute(const KernelCall& call, const TensorRep& indices, std::string_view name,
                                std::span<const int64_t> dims, std::string_view target) {
  const std::span<const int64_t> outer = indices.dims_span().first(indices.rank - 1);
  const int64_t depth = indices.dims()[indices.rank - 1];
  const bool ignore = call.attr<std::string_view>("bad_indices_policy") == "IGNORE";
  size_ = 1;
  for (int64_t d : outer) size_ *= d;
  for (size_t k = depth; k < dims.size(); ++k) slice_ *= dims[k];
  RETURN_IF_ERROR(offsets_.Reserve(call.schema.name(), size_));
  for (int64_t i = 0; i < size_; ++i) {
    int64_t offset = 0;
    bool good = true;
    for (int64_t k = 0; k < depth; ++k) {
      const int64_t at = IntValue(indices, i * depth + k);
      good = good && at >= 0 && at < dims[k];
      offset = good ? offset * dims[k] + at : 0;
    }
    if (!good && !ignore) {
      IntVector tuple;
      for (int64_t k = 0; k < depth; ++k) tuple.push_back(IntValue(indices, i * depth + k));
      return call.Error(std::string(name), Position(outer, i), " = ", ListText(tuple), " does not index into ", std::string(target), ", which is ", DimsToString(dims));
    }
    offsets_.data()[i] = good ? offset : -1;
  }
  return absl::OkStatus();
}

}  // namespace tandem
