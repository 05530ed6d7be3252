// Element types of tensors. The numbers are TensorFlow's DataType, so that a cast to the wire enum is the identity.
//
//   DType d = kFloat32;
//   DTypeName(d);               // "float32"
//   DTypeSize(d);               // 4
//   DTypeOf<int64_t>();         // kInt64
#pragma once
#include <bit>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/export.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

enum class DType : uint8_t {
  kInvalid = 0,
  kFloat32 = 1,
  kFloat64 = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQint8 = 11,  // the quantised types are known by name only: signatures mention them, no kernel takes them
  kQuint8 = 12,
  kQint32 = 13,
  kBFloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  kFloat16 = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
};
inline constexpr int kNumDTypes = 24;

inline constexpr DType kFloat32 = DType::kFloat32, kFloat64 = DType::kFloat64, kFloat16 = DType::kFloat16,
                       kBFloat16 = DType::kBFloat16, kInt8 = DType::kInt8, kInt16 = DType::kInt16,
                       kInt32 = DType::kInt32, kInt64 = DType::kInt64, kUint8 = DType::kUint8,
                       kUint16 = DType::kUint16, kUint32 = DType::kUint32, kUint64 = DType::kUint64,
                       kBool = DType::kBool, kString = DType::kString, kComplex64 = DType::kComplex64,
                       kComplex128 = DType::kComplex128, kResource = DType::kResource, kVariant = DType::kVariant;

// IEEE half and bfloat16 as storage: arithmetic happens in float. Conversion from float rounds to nearest even.
struct Half {
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float value);
  explicit operator float() const;
  static constexpr Half FromBits(uint16_t b) {
    Half h;
    h.bits = b;
    return h;
  }
  friend bool operator==(Half a, Half b) { return float(a) == float(b); }
};
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value);
  explicit operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
  static constexpr BFloat16 FromBits(uint16_t b) {
    BFloat16 h;
    h.bits = b;
    return h;
  }
  friend bool operator==(BFloat16 a, BFloat16 b) { return float(a) == float(b); }
};

// "float32", "bool", "string", …; "invalid" for kInvalid and unknown numbers. TensorFlow's spelling in signatures
// ("float", "half") is accepted by DTypeFromName too, which gives kInvalid for a text that names no type.
std::string_view DTypeName(DType dtype);
DType DTypeFromName(std::string_view name);

// Bytes of an element; 0 for string, resource and variant, whose elements are objects, and for kInvalid.
inline constexpr uint8_t kDTypeSizes[kNumDTypes] = {0, 4, 8, 4, 1, 2, 1, 0, 8, 8, 1, 1, 1, 4, 2, 2, 2, 2, 16, 2, 0, 0, 4, 8};
constexpr size_t DTypeSize(DType dtype) { return kDTypeSizes[static_cast<uint8_t>(dtype)]; }

constexpr bool IsFloating(DType d) { return d == kFloat32 || d == kFloat64 || d == kFloat16 || d == kBFloat16; }
constexpr bool IsComplex(DType d) { return d == kComplex64 || d == kComplex128; }
constexpr bool IsSigned(DType d) { return d == kInt8 || d == kInt16 || d == kInt32 || d == kInt64; }
constexpr bool IsUnsigned(DType d) { return d == kUint8 || d == kUint16 || d == kUint32 || d == kUint64; }
constexpr bool IsInteger(DType d) { return IsSigned(d) || IsUnsigned(d); }
// Gradients flow through these.
constexpr bool IsDifferentiable(DType d) { return IsFloating(d) || IsComplex(d); }

template <class T>
constexpr DType DTypeOf() {
  if constexpr (std::same_as<T, float>) return kFloat32;
  else if constexpr (std::same_as<T, double>) return kFloat64;
  else if constexpr (std::same_as<T, bool>) return kBool;
  else if constexpr (std::same_as<T, Half>) return kFloat16;
  else if constexpr (std::same_as<T, BFloat16>) return kBFloat16;
  else if constexpr (std::same_as<T, std::complex<float>>) return kComplex64;
  else if constexpr (std::same_as<T, std::complex<double>>) return kComplex128;
  else if constexpr (std::same_as<T, std::string>) return kString;
  else if constexpr (std::integral<T> && std::is_signed_v<T>)
    return sizeof(T) == 1 ? kInt8 : sizeof(T) == 2 ? kInt16 : sizeof(T) == 4 ? kInt32 : kInt64;
  else if constexpr (std::integral<T>)
    return sizeof(T) == 1 ? kUint8 : sizeof(T) == 2 ? kUint16 : sizeof(T) == 4 ? kUint32 : kUint64;
  else return DType::kInvalid;
}

}  // namespace tandem
TANDEM_EXPORT_END
