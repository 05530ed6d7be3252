// Sums beyond two numbers: AddN, and Add with its strings.
#include <algorithm>
#include <cstring>

#include "core/parallel.h"
#include "core/status.h"
#include "core/kernel.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/tensor_list.h"

namespace tandem {
namespace {

constexpr int64_t kTile = 2048;  // elements that stay in the first-level cache from one addend to the next

absl::Status AddNKernel(KernelCall& call) {
  TensorRep& out = call.output();
  const auto bytes = static_cast<int64_t>(DTypeSize(out.dtype));
  const auto at = [&](const TensorRep& x, int64_t i) { return static_cast<const char*>(x.data) + i * bytes; };
  ParallelFor(out.count, 32 << 10, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i += kTile) {
      const int64_t n = std::min(kTile, end - i);
      char* sum = static_cast<char*>(out.data) + i * bytes;
      const char* left = at(call.input(0), i);
      if (call.inputs.size() == 1 && left != sum) std::memcpy(sum, left, static_cast<size_t>(n * bytes));
      for (size_t k = 1; k < call.inputs.size(); ++k, left = sum) {
        const Operand2D in[2] = {{left, 0, 1}, {at(call.input(static_cast<int>(k)), i), 0, 1}};
        RunElementwiseBlock(VecOp::kAdd, out.dtype, in, sum, 1, n, nullptr);
      }
    }
  });
  return absl::OkStatus();
}

absl::Status JoinStrings(KernelCall& call) {
  auto* out = call.output().as<std::string>();
  BroadcastLoop(call.inputs, call.output()).Run([&](const Operand2D* in, int64_t first, int64_t rows, int64_t cols) {
    std::string* y = out + first;
    for (int64_t r = 0; r < rows; ++r) {
      const auto* a = static_cast<const std::string*>(in[0].data) + r * in[0].row_stride;
      const auto* b = static_cast<const std::string*>(in[1].data) + r * in[1].row_stride;
      for (int64_t c = 0; c < cols; ++c) *y++ = a[c * in[0].col_stride] + b[c * in[1].col_stride];
    }
  });
  return absl::OkStatus();
}

}  // namespace

void AddCpu(CpuKernel& k) {
  SetElementwise<VecOp::kAdd>(k, /*broadcasts=*/true, kFloatTypes, kSignedTypes, std::array{kUint8}, kComplexTypes);
  k.Set(kString, JoinStrings);
}
void AddNCpu(CpuKernel& k) {
  const auto set = [&](const auto& dtypes) {
    for (DType d : dtypes) k.Set(d, AddNKernel);
  };
  set(kFloatTypes), set(kSignedTypes), set(kUnsignedTypes), set(kComplexTypes);
  k.Set(kVariant, AddVariants);
}

}  // namespace tandem
