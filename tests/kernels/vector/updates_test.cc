// Optimizer steps over memory: the same bits on every vector unit, wherever a range is cut, and half types rounded once.
#include "kernels/vector/updates.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/vector/update_table.h"

namespace tandem {
namespace {

using vec::Isa;

std::vector<Isa> Isas() {
  std::vector<Isa> isas = {Isa::kBaseline};
  for (Isa isa : {Isa::kAvx2, Isa::kAvx512})
    if (isa <= vec::ActiveIsa()) isas.push_back(isa);
  return isas;
}

template <class T>
struct State {
  std::vector<T> var, gradient, slots[kMaxUpdateSlots];
  explicit State(int64_t n) : var(n), gradient(n) {
    for (int64_t i = 0; i < n; ++i) {
      var[i] = static_cast<T>(std::sin(1.0 + i));
      gradient[i] = static_cast<T>(std::cos(3.0 * i));
      for (auto& slot : slots) slot.push_back(static_cast<T>(0.1 + std::fabs(std::sin(0.7 * i))));
    }
  }
  // A step over [begin, end).
  void Step(UpdateFn step, const T* scalars, int64_t begin, int64_t end) {
    void* at[kMaxUpdateSlots];
    for (int k = 0; k < kMaxUpdateSlots; ++k) at[k] = slots[k].data() + begin;
    step(var.data() + begin, at, gradient.data() + begin, scalars, end - begin);
  }
  bool operator==(const State& o) const {
    const auto same = [](const std::vector<T>& a, const std::vector<T>& b) { return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0; };
    bool equal = same(var, o.var);
    for (int k = 0; k < kMaxUpdateSlots; ++k) equal = equal && same(slots[k], o.slots[k]);
    return equal;
  }
};

template <class T>
void CheckRules(int type) {
  const T scalars[kMaxUpdateScalars] = {T(0.1), T(0.2), T(0.3), T(0.4), T(0.5), T(0.01)};
  constexpr int64_t kSize = 77;
  for (int r = 0; r < static_cast<int>(UpdateRule::kCount); ++r) {
    INFO("rule " << r << ", type " << type);
    State<T> want(kSize);
    want.Step(vec::UpdatesFor(Isa::kBaseline).step[r][type], scalars, 0, kSize);
    for (Isa isa : Isas())
      for (int64_t cut : {0, 1, 5, 16, 40}) {
        State<T> got(kSize);
        const UpdateFn step = vec::UpdatesFor(isa).step[r][type];
        got.Step(step, scalars, 0, cut);
        got.Step(step, scalars, cut, kSize);
        CHECK(got == want);
      }
  }
}

}  // namespace

TEST_CASE("every rule gives the same bits on every vector unit and for every cut") {
  CheckRules<float>(0);
  CheckRules<double>(1);
}

TEST_CASE("formulas") {
  // One element each, by hand.
  const auto step = [](UpdateRule rule, float var, std::vector<float> slots, float gradient, std::vector<float> scalars) {
    void* at[kMaxUpdateSlots];
    for (size_t k = 0; k < slots.size(); ++k) at[k] = &slots[k];
    FindUpdate(rule, kFloat32)(&var, at, &gradient, scalars.data(), 1);
    return var;
  };
  CHECK(step(UpdateRule::kGradientDescent, 1, {}, 4, {0.25f}) == 0);
  CHECK(step(UpdateRule::kMomentum, 1, {2}, 4, {0.25f, 0.5f}) == 1 - 5 * 0.25f);
  CHECK(step(UpdateRule::kNesterovMomentum, 1, {2}, 4, {0.25f, 0.5f}) == 1 - (1 + 5 * 0.125f));
  CHECK(step(UpdateRule::kKerasMomentum, 1, {2}, 4, {0.25f, 0.5f}) == 1);
  CHECK(step(UpdateRule::kAdagrad, 1, {9}, 4, {0.5f}) == Approx(1 - 2. / 5));
  CHECK(step(UpdateRule::kFrozenAdagrad, 1, {16}, 4, {0.5f}) == 0.5f);
  CHECK(step(UpdateRule::kAdam, 1, {0, 0}, 2, {0.5f, 0.75f, 0.1f, 0.5f, 0.75f, 0}) == Approx(0.9));
  CHECK(step(UpdateRule::kFtrl, 1, {0, 0}, 0.5f, {1, 1, 0, -0.5f}) == 0);  // below l1
}

TEST_CASE("half types are computed in float32 and rounded once") {
  const uint16_t one = 0x3c00, tenth = 0x2e66;  // 1 and 0.1 as half
  uint16_t var = one;
  FindUpdate(UpdateRule::kGradientDescent, kFloat16)(&var, nullptr, &one, &tenth, 1);
  CHECK(var == 0x3b33);  // 0.9
  CHECK(FindUpdate(UpdateRule::kAdam, kInt32) == nullptr);
}

}  // namespace tandem
