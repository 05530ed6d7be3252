// Casts among the five types: x86's results at the edges, and every size and vector unit alike.
#include <catch2/catch.hpp>

#include "tests/kernels/vector/test_loops.h"

namespace tandem {
namespace {

template <typename To, typename From>
To Expected(From x) {
  if constexpr (std::is_same_v<To, uint8_t>) {
    return x != 0;
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    const double limit = std::ldexp(1.0, sizeof(To) * 8 - 1), v = x;
    return v >= -limit && v < limit ? static_cast<To>(v) : std::numeric_limits<To>::min();
  } else {
    return static_cast<To>(x);
  }
}

template <typename From, typename To>
void CheckCast() {
  constexpr size_t kMax = 1000;
  const std::vector<From> x = Values<From>(kMax, sizeof(From) * 16 + sizeof(To));
  for (vec::Isa isa : Isas()) {
    const int from = static_cast<int>(kVecTypeOf<From>), to = static_cast<int>(kVecTypeOf<To>);
    const ElementwiseFn fn = vec::KernelsFor(isa).cast[from][to];
    REQUIRE(fn != nullptr);
    for (size_t n : {0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 67, 1000}) {
      std::vector<To> y(n + 1, To(77));
      const Operand2D in[1] = {{x.data(), 0, 1}};
      fn(in, y.data(), 1, n, nullptr);
      for (size_t i = 0; i < n; ++i) {
        if (!SameBits(y[i], Expected<To>(x[i]))) {
          FAIL(Name(kVecTypeOf<From>) << ' ' << +x[i] << " to " << Name(kVecTypeOf<To>) << " is " << +y[i] << ", vector unit " << static_cast<int>(isa));
        }
      }
      CHECK(y[n] == To(77));
    }
  }
}

template <typename From>
void CheckCastsFrom() {
  CheckCast<From, float>();
  CheckCast<From, double>();
  CheckCast<From, int32_t>();
  CheckCast<From, int64_t>();
  CheckCast<From, uint8_t>();
}

TEST_CASE("casts from float") { CheckCastsFrom<float>(); }
TEST_CASE("casts from double") { CheckCastsFrom<double>(); }
TEST_CASE("casts from int32") { CheckCastsFrom<int32_t>(); }
TEST_CASE("casts from int64") { CheckCastsFrom<int64_t>(); }
TEST_CASE("casts from bool") { CheckCastsFrom<uint8_t>(); }

}  // namespace
}  // namespace tandem
