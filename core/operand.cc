#include "core/operand.h"

#include <cmath>
#include <limits>

#include "core/context.h"
#include "core/status.h"
#include "core/variable.h"
#include "core/visit.h"

namespace tandem {
namespace {

[[noreturn, gnu::cold]] void ThrowUnfit(const std::string& scalar, DType dtype, std::string_view why) {
  ThrowError(InvalidArgument("the scalar ", scalar, " does not fit a ", Absl(DTypeName(dtype)), " tensor: ", Absl(why)));
}

template <class T>
Tensor Scalar(T value) {
  TensorRep* rep = NewRep(DTypeOf<T>(), {}, 1);
  if (!rep) ThrowError(absl::ResourceExhaustedError("out of memory"));
  *rep->as<T>() = value;
  return Tensor::Adopt(rep);
}

// An integer scalar as T: exactly for integers, rounded for floating types.
template <class T, class I>
Tensor FromInteger(I value, DType dtype) {
  if constexpr (std::same_as<T, bool>) {
    if (value != 0 && value != 1) ThrowUnfit(std::to_string(value), dtype, "bool holds true and false");
    return Scalar<bool>(value != 0);
  } else if constexpr (std::integral<T>) {
    if (!std::in_range<T>(value)) ThrowUnfit(std::to_string(value), dtype, "out of range");
    return Scalar<T>(static_cast<T>(value));
  } else if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) {
    return Scalar(T(static_cast<float>(value)));
  } else if constexpr (requires { typename T::value_type; }) {
    return Scalar(T(static_cast<typename T::value_type>(value)));
  } else {
    return Scalar(static_cast<T>(value));
  }
}

template <class T>
Tensor FromFloating(double value, DType dtype) {
  if constexpr (std::integral<T>) {
    ThrowUnfit(absl::StrCat(value), dtype, "a fraction needs a floating dtype; use Cast");
  } else {
    const auto check = [&](bool overflowed) {
      if (overflowed && std::isfinite(value)) ThrowUnfit(absl::StrCat(value), dtype, "it overflows to infinity");
    };
    if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) {
      const T t(static_cast<float>(value));
      check(std::isinf(static_cast<float>(t)));
      return Scalar(t);
    } else if constexpr (requires { typename T::value_type; }) {
      using R = typename T::value_type;
      check(std::isinf(static_cast<R>(value)));
      return Scalar(T(static_cast<R>(value)));
    } else {
      check(std::isinf(static_cast<T>(value)));
      return Scalar(static_cast<T>(value));
    }
  }
}

}  // namespace

Tensor ToTensor(const Operand& operand, DType like) {
  using Kind = Operand::Kind;
  switch (operand.kind()) {
    case Kind::kTensor: return Tensor::Share(operand.rep());
    case Kind::kVariable: return operand.variable().Read(operand.origin());
    default: break;
  }
  if (like == DType::kInvalid) {
    like = operand.kind() == Kind::kFloat ? kFloat32 : operand.kind() == Kind::kBool ? kBool
         : operand.kind() == Kind::kInt64 ? kInt64 : operand.kind() == Kind::kUint64 ? kUint64 : kInt32;
  }
  Tensor out;
  const bool numeric = VisitNumeric(like, [&]<class T>(T) {
    if (operand.kind() == Kind::kFloat) {
      out = FromFloating<T>(operand.float_value(), like);
    } else if (operand.kind() == Kind::kUint64) {
      out = FromInteger<T>(operand.uint_value(), like);
    } else if (operand.kind() == Kind::kBool && !std::same_as<T, bool>) {
      ThrowUnfit(operand.int_value() ? "true" : "false", like, "a bool needs a bool tensor; use Cast");
    } else {
      out = FromInteger<T>(operand.int_value(), like);
    }
  });
  if (!numeric) ThrowUnfit("given", like, "only numbers and bools take scalars");
  return out;
}

}  // namespace tandem
