#include "core/dtype.h"

#include <cmath>

namespace tandem {
namespace {

constexpr std::string_view kNames[kNumDTypes] = {
    "invalid", "float32", "float64", "int32",  "uint8",    "int16",   "int8",   "string",
    "complex64", "int64", "bool",    "qint8",  "quint8",   "qint32",  "bfloat16", "qint16",
    "quint16", "uint16",  "complex128", "float16", "resource", "variant", "uint32", "uint64"};

}  // namespace

std::string_view DTypeName(DType dtype) {
  const auto i = static_cast<size_t>(dtype);
  return i < kNumDTypes ? kNames[i] : kNames[0];
}

DType DTypeFromName(std::string_view name) {
  if (name == "float") return kFloat32;
  if (name == "double") return kFloat64;
  if (name == "half") return kFloat16;
  for (int i = 1; i < kNumDTypes; ++i)
    if (kNames[i] == name) return static_cast<DType>(i);
  return DType::kInvalid;
}

// Round to nearest even by hand: the exponent is rebased, the 13 lost bits decide. NaN keeps its quiet bit.
Half::Half(float value) {
  const uint32_t u = std::bit_cast<uint32_t>(value), sign = (u >> 16) & 0x8000, mag = u & 0x7fffffff;
  if (mag > 0x7f800000) {
    bits = static_cast<uint16_t>(sign | 0x7e00 | ((mag >> 13) & 0x3ff));
  } else if (mag >= 0x477ff000) {  // 65520 and above round to infinity
    bits = static_cast<uint16_t>(sign | 0x7c00);
  } else if (mag < 0x38800000) {  // below 2^-14: a denormal half, in units of 2^-24
    bits = static_cast<uint16_t>(sign | static_cast<uint32_t>(std::nearbyint(std::bit_cast<float>(mag) * 16777216.0f)));
  } else {
    const uint32_t rebased = mag - 0x38000000;
    bits = static_cast<uint16_t>(sign | ((rebased + 0xfff + ((rebased >> 13) & 1)) >> 13));
  }
}

Half::operator float() const {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16, exp = (bits >> 10) & 0x1f, man = bits & 0x3ff;
  if (exp == 0x1f) return std::bit_cast<float>(sign | 0x7f800000 | (man << 13));
  if (exp == 0) {
    const float magnitude = static_cast<float>(man) * (1.0f / 16777216.0f);
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exp + 112) << 23) | (man << 13));
}

BFloat16::BFloat16(float value) {
  const uint32_t u = std::bit_cast<uint32_t>(value);
  if ((u & 0x7fffffff) > 0x7f800000) bits = static_cast<uint16_t>((u >> 16) | 0x40);
  else bits = static_cast<uint16_t>((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}

}  // namespace tandem
