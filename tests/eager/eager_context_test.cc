#include "eager/eager_context.h"

#include <catch2/catch.hpp>

#include "tandem.h"

namespace tandem {

TEST_CASE("a sum runs at once") {
  const Tensor a = {{1., 2.}, {3., 4.}};
  const Tensor c = a + a;
  CHECK(c.dtype() == kFloat32);
  CHECK(c.shape() == Shape{2, 2});
  CHECK(c.data<float>()[3] == 8.0f);
}

TEST_CASE("a variable holds what was assigned") {
  Variable v({1., 2.});
  const Tensor sum = v + v;
  CHECK(sum.data<float>()[1] == 4.0f);
}

TEST_CASE("a warm op makes no call to the system allocator") {
  const Tensor a = {{1., 2.}, {3., 4.}};
  for (int i = 0; i < 10; ++i) Tensor c = a + a;
  const auto before = GetAllocatorStatistics();
  for (int i = 0; i < 1000; ++i) Tensor c = a + a;
  const auto after = GetAllocatorStatistics();
  CHECK(after.live_bytes == before.live_bytes);
#if !defined(__SANITIZE_ADDRESS__)
  CHECK(after.system_calls == before.system_calls);
#endif
}

}  // namespace tandem
