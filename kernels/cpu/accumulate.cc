#include "kernels/cpu/accumulate.h"

#include <type_traits>

#include "core/visit.h"

namespace tandem {
namespace {

template <Accumulation kind, class T>
void Accumulate(void* into, const void* x, int64_t n) {
  // Integers wrap: done on unsigned numbers. Half types add in float32.
  constexpr bool kHalf = std::same_as<T, Half> || std::same_as<T, BFloat16>;
  using Wide = typename std::conditional_t<std::is_integral_v<T> && !std::same_as<T, bool>, std::make_unsigned<std::conditional_t<std::is_integral_v<T> && !std::same_as<T, bool>, T, int>>,
                                           std::type_identity<std::conditional_t<kHalf, float, T>>>::type;
  T* a = static_cast<T*>(into);
  const T* b = static_cast<const T*>(x);
  for (int64_t i = 0; i < n; ++i) {
    const auto u = static_cast<Wide>(a[i]), v = static_cast<Wide>(b[i]);
    a[i] = static_cast<T>(static_cast<Wide>(kind == Accumulation::kAdd ? u + v : u - v));
  }
}

}  // namespace

AccumulateFn FindAccumulate(Accumulation kind, DType dtype) {
  AccumulateFn fn = nullptr;
  VisitNumeric(dtype, [&]<class T>(T) {
    if constexpr (!std::same_as<T, bool>)
      fn = kind == Accumulation::kAdd ? Accumulate<Accumulation::kAdd, T> : Accumulate<Accumulation::kSub, T>;
  });
  return fn;
}

}  // namespace tandem
