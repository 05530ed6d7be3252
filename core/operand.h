// Operand: one argument of an elementwise function or operator: a tensor, a variable or a C++ scalar, and the user's
// line. Two registers wide, borrowed from the caller's expression.
//
//   Tensor Add(Operand a, Operand b);
//   Add(x, 2);  x + 2.5;  w * x;        // w: a Variable
//
// A scalar is weak: it takes the dtype of the tensors it meets. An integer must be representable there; a floating
// scalar is INVALID_ARGUMENT with integer or bool tensors, as is overflow to infinity. Among scalars only it becomes
// int32 (int64 if it was int64_t), float32, bool.
#pragma once
#include <bit>
#include <cstdint>

#include "core/export.h"
#include "core/origin.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

class Variable;

template <class T>
concept Arithmetic = std::is_arithmetic_v<T> && !CharacterLike<T>;

struct Operand {
  enum class Kind : uint8_t { kTensor, kVariable, kInt32, kInt64, kUint64, kFloat, kBool };

  Operand(const Tensor& t, Origin origin = Here()) : bits_(std::bit_cast<uint64_t>(t.rep())), tag_(Tag(origin, Kind::kTensor)) {}
  Operand(const Variable& v, Origin origin = Here())
      : bits_(std::bit_cast<uint64_t>(&v)), tag_(Tag(origin, Kind::kVariable)) {}
  template <Arithmetic T>
  Operand(T scalar, Origin origin = Here()) : bits_(Bits(scalar)), tag_(Tag(origin, KindOf<T>())) {}

  Kind kind() const { return static_cast<Kind>(tag_ & 7); }
  Origin origin() const { return Origin(std::bit_cast<const void*>(tag_ & ~uint64_t{7})); }
  TensorRep* rep() const { return std::bit_cast<TensorRep*>(bits_); }                   // kTensor; null if undefined
  const Variable& variable() const { return *std::bit_cast<const Variable*>(bits_); }   // kVariable
  int64_t int_value() const { return std::bit_cast<int64_t>(bits_); }                   // kInt32, kInt64, kBool
  uint64_t uint_value() const { return bits_; }
  double float_value() const { return std::bit_cast<double>(bits_); }

 private:
  static uint64_t Tag(Origin origin, Kind kind) {
    return std::bit_cast<uint64_t>(origin.location()) | static_cast<uint64_t>(kind);
  }
  template <class T>
  static uint64_t Bits(T scalar) {
    if constexpr (std::is_floating_point_v<T>) return std::bit_cast<uint64_t>(static_cast<double>(scalar));
    else return static_cast<uint64_t>(static_cast<int64_t>(scalar));
  }
  template <class T>
  static constexpr Kind KindOf() {
    if constexpr (std::same_as<T, bool>) return Kind::kBool;
    else if constexpr (std::is_floating_point_v<T>) return Kind::kFloat;
    else if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8) return Kind::kUint64;
    else if constexpr (sizeof(T) == 8 || (sizeof(T) == 4 && std::is_unsigned_v<T>)) return Kind::kInt64;
    else return Kind::kInt32;
  }

  uint64_t bits_;
  uint64_t tag_;  // the origin; its low three bits hold the kind
};
static_assert(sizeof(Operand) == 16 && std::is_trivially_copyable_v<Operand>);

}  // namespace tandem
TANDEM_EXPORT_END
