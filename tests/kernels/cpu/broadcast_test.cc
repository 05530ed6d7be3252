// The broadcasting loop against element-by-element index arithmetic: random shapes of up to eight dimensions, rows from one
// element to many, one thread and several.
#include <catch2/catch.hpp>
#include <random>

#include "core/parallel.h"
#include "tandem.h"
#include "tests/compare.h"

namespace tandem {
namespace {

int64_t IndexIn(const Shape& shape, const Shape& out, int64_t flat) {
  int64_t index = 0, stride = 1;
  for (int axis = out.rank() - 1; axis >= 0; --axis) {
    const int64_t at = flat % out[axis];
    flat /= out[axis];
    const int own = axis - (out.rank() - shape.rank());
    if (own < 0) continue;
    if (shape[own] != 1) index += at * stride;
    stride *= shape[own];
  }
  return index;
}

template <class T>
Tensor Counting(const Shape& shape, int64_t start) {
  std::vector<T> v(static_cast<size_t>(*shape.num_elements()));
  for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<T>(static_cast<float>((start + static_cast<int64_t>(i)) % 113));
  return Tensor::FromData<T>(shape, v);
}

template <class T>
void CheckSub(const Shape& a, const Shape& b, const Shape& out) {
  const Tensor x = Counting<T>(a, 3), y = Counting<T>(b, 50), z = x - y;
  REQUIRE(z.shape() == out);
  std::vector<T> want(static_cast<size_t>(z.size()));
  for (int64_t i = 0; i < z.size(); ++i) {
    const T p = x.data<T>()[IndexIn(a, out, i)], q = y.data<T>()[IndexIn(b, out, i)];
    if constexpr (std::same_as<T, Half>) want[i] = Half(static_cast<float>(p) - static_cast<float>(q));
    else want[i] = static_cast<T>(p - q);
  }
  INFO(a.ToString() << " - " << b.ToString());
  CHECK(DifferentBits(z, Tensor::FromData<T>(out, want)) == "");
}

TEST_CASE("random shapes broadcast as index arithmetic says") {
  std::mt19937 random(1);
  const int64_t sizes[] = {1, 1, 2, 3, 4, 7, 18, 0};
  for (int round = 0; round < 400; ++round) {
    Shape a, b, out;
    const int rank = static_cast<int>(random() % 9);
    int64_t count = 1;
    for (int axis = 0; axis < rank; ++axis) {
      int64_t d = sizes[random() % (random() % 16 == 0 ? 8 : 7)];
      if (count * d > 20000) d = 1;
      count *= std::max<int64_t>(d, 1);
      const unsigned who = random() % 4;
      out.push_back(d);
      a.push_back(who == 1 ? 1 : d);
      b.push_back(who == 2 ? 1 : d);
      if (who == 1 && d == 0) b[axis] = 0;
    }
    // Leading dimensions of one operand may be missing.
    const int drop = static_cast<int>(random() % (rank + 1));
    Shape shorter;
    for (int axis = drop; axis < rank; ++axis) shorter.push_back(b[axis]);
    Shape seen = out;
    for (int axis = 0; axis < drop; ++axis) seen[axis] = a[axis];
    CheckSub<float>(a, shorter, seen);
    CheckSub<double>(a, b, out);
    CheckSub<int32_t>(shorter, a, seen);
    CheckSub<int8_t>(a, shorter, seen);
    CheckSub<Half>(a, b, out);
    CheckSub<uint64_t>(a, b, out);
    CheckSub<std::complex<double>>(a, b, out);
  }
}

TEST_CASE("threads share rows, and cut long ones") {
  for (const auto& [a, b] : {std::pair<Shape, Shape>{{300000}, {1}}, {{3, 100000}, {3, 1}}, {{1, 100000}, {3, 1}}, {{50000, 7}, {7}},
                             {{50000, 7}, {50000, 1}}, {{40, 1, 3000}, {20, 1}}, {{200, 1}, {1, 1500}}}) {
    const Tensor x = Counting<float>(a, 1), y = Counting<float>(b, 7);
    SetNumThreads(1);
    const Tensor one = x - y;
    SetNumThreads(4);
    const Tensor four = x - y;
    SetNumThreads(0);
    CHECK(DifferentBits(one, four) == "");
    CheckSub<float>(a, b, one.shape());
  }
}

TEST_CASE("choice broadcasts three operands of any element size") {
  const Tensor condition = Reshape(Tensor(std::vector<bool>{true, false, true}), {3, 1});
  const auto check = [&]<class T>(T t, T e) {
    const Tensor z = Select(condition, Tensor(std::vector<T>{t, e}), Tensor(std::vector<T>{e}));
    REQUIRE(z.shape() == Shape{3, 2});
    for (int64_t i = 0; i < 6; ++i) CHECK((z.data<T>()[i] == (i / 2 != 1 && i % 2 == 0 ? t : e)));
  };
  check(int8_t{-7}, int8_t{100});
  check(uint16_t{7}, uint16_t{60000});
  check(2.5f, -1.0f);
  check(2.5, -1.0);
  check(std::complex<double>{1, 2}, std::complex<double>{3, 4});
  check(std::string("then"), std::string("a string that does not fit inline"));
  check(BFloat16(1.0f), BFloat16(2.0f));
}

TEST_CASE("a warm broadcast makes no call to the system allocator") {
  const Tensor a = Counting<float>({8, 16}, 0), row = Counting<float>({16}, 1);
  const auto run = [&] {
    Tensor s = a + 2, t = 1 - a, u = a * row, v = a < 3, w = Select(v, a, row);
  };
  for (int i = 0; i < 10; ++i) run();
  const auto before = GetAllocatorStatistics();
  for (int i = 0; i < 1000; ++i) run();
  CHECK(GetAllocatorStatistics().live_bytes == before.live_bytes);
#if !defined(__SANITIZE_ADDRESS__)
  CHECK(GetAllocatorStatistics().system_calls == before.system_calls);
#endif
}

}  // namespace
}  // namespace tandem
