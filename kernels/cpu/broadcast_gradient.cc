#include <algorithm>

#include "core/status.h"
#include "core/kernel.h"

namespace tandem {
namespace {

// Axes of the result, counted from the front, where the operand has one element or is missing. Equal shapes have none,
// their ones included.
template <class T>
absl::Status ReductionAxes(KernelCall& call) {
  const std::span<const T> s[2] = {{call.input(0).as<T>(), static_cast<size_t>(call.input(0).count)},
                                   {call.input(1).as<T>(), static_cast<size_t>(call.input(1).count)}};
  const size_t rank = std::max(s[0].size(), s[1].size());
  absl::InlinedVector<T, 8> axes[2];
  const bool equal = std::ranges::equal(s[0], s[1]);
  for (size_t axis = 0; axis < rank && !equal; ++axis) {
    const auto dim = [&](int k) { return axis + s[k].size() < rank ? T{1} : s[k][axis + s[k].size() - rank]; };
    if (dim(0) != dim(1) && dim(0) != 1 && dim(1) != 1)
      return call.Error("shapes do not broadcast: s0 is ", Shape(std::vector<int64_t>(s[0].begin(), s[0].end())).ToString(), ", s1 is ",
                        Shape(std::vector<int64_t>(s[1].begin(), s[1].end())).ToString());
    for (int k = 0; k < 2; ++k)
      if (dim(k) == 1) axes[k].push_back(static_cast<T>(axis));
  }
  for (int k = 0; k < 2; ++k) {
    RETURN_IF_ERROR(call.Allocate(k, {static_cast<int64_t>(axes[k].size())}, DTypeOf<T>()));
    std::copy(axes[k].begin(), axes[k].end(), call.output(k).as<T>());
  }
  return absl::OkStatus();
}

}  // namespace

void BroadcastGradientArgsCpu(CpuKernel& k) {
  k.Set(kInt32, ReductionAxes<int32_t>);
  k.Set(kInt64, ReductionAxes<int64_t>);
}

}  // namespace tandem
