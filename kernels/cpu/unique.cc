#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/kernel.h"
#include "core/visit.h"

namespace tandem {
namespace {

// What elements are compared as: bytes have no hash of their own, half types no ==.
template <class T>
auto Key(const T& x) {
  if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) return static_cast<float>(x);
  else if constexpr (std::same_as<T, std::string>) return std::string_view(x);
  else if constexpr (requires { x.real(); }) return std::make_pair(x.real(), x.imag());
  else return x;
}

template <class T>
absl::Status Unique(KernelCall& call) {
  const TensorRep& x = call.input(0);
  const bool wide = call.attr<DType>("out_idx") == kInt64;
  if (!wide && x.count > std::numeric_limits<int32_t>::max())
    return call.Error("x has ", x.count, " elements, too many for int32 indices: ask for int64");
  RETURN_IF_ERROR(call.Allocate(1, x.shape(), wide ? kInt64 : kInt32));
  absl::flat_hash_map<decltype(Key(x.as<T>()[0])), int64_t> seen;
  std::vector<int64_t> first;
  for (int64_t i = 0; i < x.count; ++i) {
    const auto [it, added] = seen.try_emplace(Key(x.as<T>()[i]), static_cast<int64_t>(first.size()));
    if (added) first.push_back(i);
    if (wide) call.output(1).as<int64_t>()[i] = it->second;
    else call.output(1).as<int32_t>()[i] = static_cast<int32_t>(it->second);
  }
  RETURN_IF_ERROR(call.Allocate(0, {static_cast<int64_t>(first.size())}, x.dtype));
  for (size_t k = 0; k < first.size(); ++k) call.output(0).as<T>()[k] = x.as<T>()[first[k]];
  return absl::OkStatus();
}

}  // namespace

void UniqueCpu(CpuKernel& k) {
  for (int d = 1; d < kNumDTypes; ++d)
    VisitNumeric(static_cast<DType>(d), [&]<class T>(T) { k.Set(DTypeOf<T>(), Unique<T>); });
  k.Set(kString, Unique<std::string>);
}

}  // namespace tandem
