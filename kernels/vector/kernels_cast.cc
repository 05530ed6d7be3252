// Casts among the five types.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vector/kernels_cast.cc"
#include "hwy/foreach_target.h"  // must come before what is compiled for each target
#include "kernels/vector/kernels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::vec {
namespace HWY_NAMESPACE {
namespace {

struct CastFunction {
  static constexpr int kParams = 0;
  static constexpr bool kCheap = false;
};
template <typename To> struct ToNumber : CastFunction {
  template <typename V> static HWY_INLINE auto Call(V x) { return CastTo<To>(x); }
};
struct ToBool : CastFunction {
  template <typename V> static HWY_INLINE auto Call(V x) { return NotZero(x); }
};
template <typename To> struct FromBool : CastFunction {
  template <int W, int N> static HWY_INLINE auto Call(Mask<W, N> m) { return OneIf<Lanes<To, N>>(m); }
};
struct BoolToBool : CastFunction {
  template <typename M> static HWY_INLINE M Call(M m) { return m; }
};

// A vector of 32-bit elements no longer than that of 64-bit ones it is cast to or from.
template <typename T> struct Half {
  template <int N> using At = Lanes<T, N>;
  static constexpr int kMaxLanes = kLanes64;
};

template <typename From, typename To>
void RegisterCast(KernelTable& table, VecType from, VecType to) {
  using In = std::conditional_t<sizeof(To) == 8 && sizeof(From) == 4, Half<From>, Num<From>>;
  using K = Kernel<ToNumber<To>, In>;
  table.SetCast(from, to, &K::Loop2D, &K::Dense);
}

template <typename From>
void RegisterFrom(KernelTable& table, VecType from) {
  RegisterCast<From, float>(table, from, VecType::kF32);
  RegisterCast<From, double>(table, from, VecType::kF64);
  RegisterCast<From, int32_t>(table, from, VecType::kI32);
  RegisterCast<From, int64_t>(table, from, VecType::kI64);
  using ToBoolKernel = Kernel<ToBool, Num<From>>;
  table.SetCast(from, VecType::kBool, &ToBoolKernel::Loop2D, &ToBoolKernel::Dense);
  using FromBoolKernel = Kernel<FromBool<From>, Bool<8 * sizeof(From)>>;
  table.SetCast(VecType::kBool, from, &FromBoolKernel::Loop2D, &FromBoolKernel::Dense);
}

}  // namespace

void RegisterCasts(KernelTable& table) {
  RegisterFrom<float>(table, VecType::kF32);
  RegisterFrom<double>(table, VecType::kF64);
  RegisterFrom<int32_t>(table, VecType::kI32);
  RegisterFrom<int64_t>(table, VecType::kI64);
  using K = Kernel<BoolToBool, Bool<32>>;
  table.SetCast(VecType::kBool, VecType::kBool, &K::Loop2D, &K::Dense);
}

}  // namespace HWY_NAMESPACE
}  // namespace tandem::vec
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::vec {
HWY_EXPORT(RegisterCasts);
void AddCasts(KernelTable& table) { HWY_DYNAMIC_DISPATCH(RegisterCasts)(table); }
}  // namespace tandem::vec
#endif
