// BiasAdd and its gradient, the sum over all axes but the channels'.
#include <algorithm>
#include <cstring>
#include <optional>

#include "core/kernel.h"
#include "core/parallel.h"
#include "kernels/cpu/accumulate.h"
#include "kernels/cpu/reduction.h"

namespace tandem {
namespace {

int ChannelAxis(const KernelCall& call, const TensorRep& value) {
  return call.attr<std::string_view>("data_format") == "NCHW" ? 1 : value.rank - 1;
}

std::optional<VecType> HotType(DType dtype) {
  switch (dtype) {
    case kFloat32: return VecType::kF32;
    case kFloat64: return VecType::kF64;
    case kInt32: return VecType::kI32;
    case kInt64: return VecType::kI64;
    default: return std::nullopt;
  }
}

// value: [outer, channels, inner].
absl::Status BiasAdd(KernelCall& call) {
  const TensorRep &value = call.input(0), &bias = call.input(1);
  TensorRep& out = call.output();
  if (value.count == 0) return absl::OkStatus();
  const int axis = ChannelAxis(call, value);
  const int64_t channels = value.dims()[axis];
  int64_t inner = 1;
  for (int i = axis + 1; i < value.rank; ++i) inner *= value.dims()[i];
  const int64_t outer = value.count / (channels * inner);
  const auto size = static_cast<int64_t>(DTypeSize(value.dtype));
  const auto at = [&](const TensorRep& t, int64_t element) { return t.as<char>() + element * size; };

  if (const auto type = HotType(value.dtype)) {
    const ElementwiseFn add = FindElementwise(VecOp::kAdd, *type);
    if (inner == 1) {
      ParallelFor(outer, std::max<int64_t>((16 << 10) / channels, 1), [&](int64_t begin, int64_t end) {
        const Operand2D in[] = {{at(value, begin * channels), channels, 1}, {bias.data, 0, 1}};
        add(in, out.as<char>() + begin * channels * size, end - begin, channels, nullptr);
      });
    } else {
      ParallelFor(outer * channels, std::max<int64_t>((16 << 10) / inner, 1), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end;) {  // to the end of the task or of one example's channels
          const int64_t channel = r % channels, rows = std::min(end - r, channels - channel);
          const Operand2D in[] = {{at(value, r * inner), inner, 1}, {at(bias, channel), 1, 0}};
          add(in, out.as<char>() + r * inner * size, rows, inner, nullptr);
          r += rows;
        }
      });
    }
    return absl::OkStatus();
  }

  // The other dtypes copy and accumulate a row of biases; behind the channels, tiles of one bias repeated.
  const AccumulateFn add = FindAccumulate(Accumulation::kAdd, value.dtype);
  if (out.data != value.data) std::memcpy(out.data, value.data, static_cast<size_t>(out.bytes()));
  if (inner == 1) {
    for (int64_t o = 0; o < outer; ++o) add(out.as<char>() + o * channels * size, bias.data, channels);
    return absl::OkStatus();
  }
  constexpr int64_t kTile = 64;
  char tile[kTile * 16];
  for (int64_t r = 0; r < outer * channels; ++r) {
    for (int64_t k = 0; k < kTile; ++k) std::memcpy(tile + k * size, at(bias, r % channels), static_cast<size_t>(size));
    for (int64_t k = 0; k < inner; k += kTile) add(out.as<char>() + (r * inner + k) * size, tile, std::min(kTile, inner - k));
  }
  return absl::OkStatus();
}

absl::Status BiasAddGrad(KernelCall& call) {
  const TensorRep& dy = call.input(0);
  AxisMask reduced;
  for (int i = 0; i < dy.rank; ++i) reduced[i] = i != ChannelAxis(call, dy);
  return ReduceAxes(Fold::kSum, /*mean=*/false, dy, reduced, call.output());
}

constexpr std::initializer_list<DType> kNumbers = {kFloat32, kFloat64, kFloat16, kBFloat16, kInt8, kInt16, kInt32, kInt64,
                                                   kUint8, kUint16, kUint32, kUint64, kComplex64, kComplex128};

}  // namespace

void BiasAddCpu(CpuKernel& k) { k.Set(kNumbers, BiasAdd); }
void BiasAddGradCpu(CpuKernel& k) { k.Set(kNumbers, BiasAddGrad); }

}  // namespace tandem
