// Cast between any two of the numeric dtypes: source -> the vector type it widens to -> the vector type the destination
// narrows from -> destination, in tiles. So float to int8 is the low bits of float to int32, as TensorFlow's is on x86.
// What that route cannot say (uint64 as a number, complex parts, floats beyond the signed range) has steps of its own.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>

#include "core/parallel.h"
#include "core/status.h"
#include "core/kernel.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/lanes.h"

namespace tandem {
namespace {

constexpr int64_t kTile = 512;

using Step = void (*)(const void* from, void* to, int64_t n);

template <class From, class To>
void Convert(const void* from, void* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) static_cast<To*>(to)[i] = static_cast<To>(static_cast<const From*>(from)[i]);
}
template <class R>
void RealPart(const void* from, void* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) static_cast<R*>(to)[i] = static_cast<const std::complex<R>*>(from)[i].real();
}
template <class R>
void FromReal(const void* from, void* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) static_cast<std::complex<R>*>(to)[i] = static_cast<const R*>(from)[i];
}
// As x86 converts: through int64 where that holds the value, and 2^31 (2^63) for what fits nowhere.
uint32_t ToUint32(double x) {
  return std::abs(x) < 0x1p63 ? static_cast<uint32_t>(static_cast<int64_t>(x)) : uint32_t{1} << 31;
}
uint64_t ToUint64(double x) {
  if (std::abs(x) < 0x1p63) return static_cast<uint64_t>(static_cast<int64_t>(x));
  return x >= 0x1p63 && x < 0x1p64 ? static_cast<uint64_t>(x) : uint64_t{1} << 63;
}
template <class From, class To>
void ToUnsigned(const void* from, void* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const double x = static_cast<const From*>(from)[i];
    if constexpr (sizeof(To) == 4) static_cast<To*>(to)[i] = ToUint32(x);
    else static_cast<To*>(to)[i] = ToUint64(x);
  }
}
// Clears the low bits of the mantissas, so that the conversion that follows has nothing to round. Infinities and NaNs stay.
template <class R, class Bits>
void ClearLowBits(R* x, int bits, int64_t n) {
  const Bits mask = ~((Bits{1} << bits) - 1);
  for (int64_t i = 0; i < n; ++i)
    if (!std::isnan(x[i])) x[i] = std::bit_cast<R>(std::bit_cast<Bits>(x[i]) & mask);
}
int MantissaBits(DType dtype) { return dtype == kBFloat16 ? 7 : dtype == kFloat16 ? 10 : dtype == kFloat64 ? 52 : 23; }

// One end of a cast: the vector type, and the step between it and the dtype (null: it is that type).
struct End {
  VecType type;
  Step step;
};

End Source(DType from, DType to) {
  switch (from) {
    case kComplex64: return {VecType::kF32, RealPart<float>};
    case kComplex128: return {VecType::kF64, RealPart<double>};
    case kUint64:  // its bits, unless the value counts
      if (to == kFloat64 || to == kComplex128) return {VecType::kF64, Convert<uint64_t, double>};
      if (IsFloating(to) || to == kComplex64) return {VecType::kF32, Convert<uint64_t, float>};
      return {VecType::kI64, nullptr};
    default: return {LanesOf(from).type, LanesOf(from).widen};
  }
}
End Destination(DType to, VecType from) {
  const bool floating = from == VecType::kF32 || from == VecType::kF64;
  switch (to) {
    case kComplex64: return {VecType::kF32, FromReal<float>};
    case kComplex128: return {VecType::kF64, FromReal<double>};
    case kUint32:
      if (floating) return {from, from == VecType::kF32 ? ToUnsigned<float, uint32_t> : ToUnsigned<double, uint32_t>};
      return {VecType::kI64, LanesOf(to).narrow};
    case kUint64:
      if (floating) return {from, from == VecType::kF32 ? ToUnsigned<float, uint64_t> : ToUnsigned<double, uint64_t>};
      return {VecType::kI64, nullptr};
    default: return {LanesOf(to).type, LanesOf(to).narrow};
  }
}

// The one step of casts that do not go by way of the vector types; null for the others.
Step Direct(DType from, DType to) {
  if (from == kComplex64 && to == kComplex128) return Convert<std::complex<float>, std::complex<double>>;
  if (from == kComplex128 && to == kComplex64) return Convert<std::complex<double>, std::complex<float>>;
  return nullptr;
}

absl::Status CastKernel(KernelCall& call) {
  const TensorRep &x = call.input(0), &y = call.output();
  const auto from_bytes = static_cast<int64_t>(DTypeSize(x.dtype)), to_bytes = static_cast<int64_t>(DTypeSize(y.dtype));
  // Truncate concerns floats that lose bits.
  const int cleared = call.attr<bool>("Truncate") && IsFloating(x.dtype) && IsFloating(y.dtype)
                          ? (x.dtype == kFloat64 ? 52 : 23) - MantissaBits(y.dtype) : 0;
  const Step direct = Direct(x.dtype, y.dtype);
  const End source = Source(x.dtype, y.dtype), destination = Destination(y.dtype, source.type);
  const DenseFn cast = source.type == destination.type ? nullptr : FindDenseCast(source.type, destination.type);
  ParallelFor(y.count, 32 << 10, [&](int64_t begin, int64_t end) {
    const char* from = static_cast<const char*>(x.data) + begin * from_bytes;
    char* to = static_cast<char*>(y.data) + begin * to_bytes;
    if (x.dtype == y.dtype) return void(std::memcpy(to, from, static_cast<size_t>((end - begin) * to_bytes)));
    if (direct) return direct(from, to, end - begin);
    if (cast && !source.step && !destination.step && cleared <= 0) return cast(from, nullptr, to, end - begin);
    alignas(64) char wide[kTile * 8], cast_wide[kTile * 8];
    for (int64_t i = begin; i < end; i += kTile, from += kTile * from_bytes, to += kTile * to_bytes) {
      const int64_t n = std::min(kTile, end - i);
      const void* at = from;
      if (source.step) source.step(at, wide, n), at = wide;
      if (cleared > 0) {
        if (at != wide) std::memcpy(wide, at, static_cast<size_t>(n * from_bytes));
        at = wide;
        if (source.type == VecType::kF32) ClearLowBits<float, uint32_t>(reinterpret_cast<float*>(wide), cleared, n);
        else ClearLowBits<double, uint64_t>(reinterpret_cast<double*>(wide), cleared, n);
      }
      if (cast) {
        void* result = destination.step ? static_cast<void*>(cast_wide) : to;
        cast(at, nullptr, result, n);
        at = result;
      }
      if (destination.step) destination.step(at, to, n);
      else if (at != to) std::memcpy(to, at, static_cast<size_t>(n * to_bytes));
    }
  });
  return absl::OkStatus();
}

// The destination is an attribute, not part of the kernel table.
absl::Status CheckedCast(KernelCall& call) {
  const DType to = call.output().dtype;
  if (DTypeSize(to) == 0 || !(LanesOf(to).known || IsComplex(to) || to == kUint64))
    return absl::UnimplementedError(absl::StrCat("Cast: no kernel from ", std::string(DTypeName(call.input(0).dtype)), " to ",
                                                 std::string(DTypeName(to)), " on cpu:0"));
  return CastKernel(call);
}

}  // namespace

void CastCpu(CpuKernel& k) {
  const auto set = [&](const auto& dtypes) {
    for (DType d : dtypes) k.Set(d, CheckedCast);
  };
  set(kFloatTypes), set(kSignedTypes), set(kUnsignedTypes), set(kComplexTypes), set(kBoolType);
}

}  // namespace tandem
