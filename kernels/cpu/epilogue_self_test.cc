#include "kernels/cpu/epilogue_self_test.h"

#include <bit>
#include <limits>

#include "kernels/cpu/scratch.h"

namespace tandem {
namespace {

constexpr int64_t kMostElements = 1 << 22;

// Numbers in [-1, 1) by a 32-bit xorshift, every 61st one of the special values where asked for.
void FillWithNumbers(float* out, int64_t n, uint32_t seed, bool specials) {
  constexpr float kSpecials[] = {0.0f, -0.0f, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                                 std::numeric_limits<float>::quiet_NaN(), 1e-40f, 3e38f};
  uint32_t state = seed * 2654435761u + 1;
  for (int64_t i = 0; i < n; ++i) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    out[i] = static_cast<float>(static_cast<int32_t>(state)) * 0x1p-31f;
    if (specials && i % 61 == 60) out[i] = kSpecials[i / 61 % std::size(kSpecials)];
  }
}

}  // namespace

bool PassesSelfTest(OnednnPrimitive& plain, OnednnPrimitive& fused, const SelfTestSizes& s, std::span<const Addend> addends) {
  if (s.x > kMostElements || s.w > kMostElements || s.y > kMostElements) return false;
  constexpr std::string_view kName = "self-test";
  Scratch<float> x, w, want, got, added[2];
  if (addends.size() > 2 || !x.Reserve(kName, s.x).ok() || !w.Reserve(kName, s.w).ok() || !want.Reserve(kName, s.y).ok() ||
      !got.Reserve(kName, s.y).ok())
    return false;
  FillWithNumbers(x.data(), s.x, 1, false);
  FillWithNumbers(w.data(), s.w, 2, false);
  const void* data[5] = {x.data(), w.data(), got.data()};
  for (size_t k = 0; k < addends.size(); ++k) {
    const int64_t n = addends[k].per_channel ? s.channels : s.y;
    if (!added[k].Reserve(kName, n).ok()) return false;
    FillWithNumbers(added[k].data(), n, 3 + static_cast<uint32_t>(k), true);
    data[3 + k] = added[k].data();
  }
  if (!plain.Execute(kName, {x.data(), w.data(), want.data()}).ok()) return false;
  for (size_t k = 0; k < addends.size(); ++k)
    for (int64_t i = 0; i < s.y; ++i) want.data()[i] += added[k].data()[addends[k].per_channel ? i % s.channels : i];
  if (!fused.Execute(kName, std::span<const void* const>(data, 3 + addends.size())).ok()) return false;
  for (int64_t i = 0; i < s.y; ++i) {
    const float a = want.data()[i], b = got.data()[i];
    if (std::bit_cast<uint32_t>(a) != std::bit_cast<uint32_t>(b) && !(a != a && b != b)) return false;
  }
  return true;
}

std::unique_ptr<OnednnPrimitive> ExactOrNull(
    absl::FunctionRef<std::unique_ptr<OnednnPrimitive>(std::span<const Addend>)> make, const SelfTestSizes& sizes, std::span<const Addend> addends) {
  std::unique_ptr<OnednnPrimitive> fused;
  try {
    fused = make(addends);
  } catch (const dnnl::error& error) {
    if (error.status != dnnl_unimplemented) throw;
    return nullptr;
  }
  return PassesSelfTest(*make({}), *fused, sizes, addends) ? std::move(fused) : nullptr;
}

absl::StatusOr<bool> ExecuteAdding(std::string_view op, OnednnPrimitive* primitive, const float* x, const float* w, float* y,
                                   std::span<const Addend> addends) {
  if (!primitive) return false;
  const void* data[5] = {x, w, y};
  for (size_t k = 0; k < addends.size(); ++k) data[3 + k] = addends[k].data;
  RETURN_IF_ERROR(primitive->Execute(op, std::span<const void* const>(data, 3 + addends.size())));
  return true;
}

}  // namespace tandem
