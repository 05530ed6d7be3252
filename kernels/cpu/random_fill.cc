#include "kernels/cpu/random_fill.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "core/parallel.h"

namespace tandem {
namespace {

constexpr int64_t kBlockGrain = 2048;  // blocks of four words that are worth a task

float UniformFloat(uint32_t word) { return std::bit_cast<float>((word & 0x7fffff) | 0x3f800000) - 1.0f; }
double UniformDouble(uint32_t w0, uint32_t w1) {
  return std::bit_cast<double>(uint64_t{0x3ff} << 52 | uint64_t{w0 & 0xfffff} << 32 | w1) - 1.0;
}
Half UniformHalf(uint32_t word) { return Half(float(Half::FromBits(static_cast<uint16_t>((word & 0x3ff) | 0x3c00))) - 1.0f); }
BFloat16 UniformBFloat16(uint32_t word) {
  return BFloat16(float(BFloat16::FromBits(static_cast<uint16_t>((word & 0x7f) | 0x3f80))) - 1.0f);
}

void NormalFloats(uint32_t w0, uint32_t w1, float* out) {
  const float u1 = std::max(UniformFloat(w0), 1.0e-7f);
  const auto v = static_cast<float>(2.0f * std::numbers::pi * UniformFloat(w1));
  const float r = std::sqrt(-2.0f * std::log(u1));
  out[0] = r * std::sin(v);
  out[1] = r * std::cos(v);
}
void NormalDoubles(const PhiloxBlock& w, double* out) {
  const double u1 = std::max(UniformDouble(w[0], w[1]), 1.0e-7);
  const double v = 2 * std::numbers::pi * UniformDouble(w[2], w[3]);
  const double r = std::sqrt(-2.0 * std::log(u1));
  out[0] = r * std::sin(v);
  out[1] = r * std::cos(v);
}

// out[i] for all i, `each` of them from a block: make(block, values) gives them.
template <int each, class T, class F>
void FillBlocks(const Philox& stream, TensorRep& out, F make) {
  const int64_t n = out.count;
  T* y = out.as<T>();
  ParallelFor((n + each - 1) / each, kBlockGrain, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      T values[each];
      make(stream.Block(static_cast<uint64_t>(b)), values);
      std::copy_n(values, std::min<int64_t>(each, n - b * each), y + b * each);
    }
  });
}

template <class T, class F>
void FillWords(const Philox& stream, TensorRep& out, F from_word) {
  FillBlocks<4, T>(stream, out, [&](const PhiloxBlock& w, T* v) {
    for (int k = 0; k < 4; ++k) v[k] = from_word(w[k]);
  });
}

template <class T>
void FillNormalOf(const Philox& stream, TensorRep& out) {
  FillBlocks<4, T>(stream, out, [](const PhiloxBlock& w, T* v) {
    float normal[4];
    NormalFloats(w[0], w[1], normal);
    NormalFloats(w[2], w[3], normal + 2);
    for (int k = 0; k < 4; ++k) v[k] = static_cast<T>(normal[k]);
  });
}

constexpr double kTruncateAt = 2.0;

// make(block, numbers) gives `each` normal numbers; the first `each` within the bound fill a group.
template <int each, class T, class N, class F>
void FillTruncated(const Philox& stream, TensorRep& out, F make) {
  const int64_t n = out.count;
  T* y = out.as<T>();
  ParallelFor((n + each - 1) / each, kBlockGrain / 2, [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      const int64_t want = std::min<int64_t>(each, n - g * each);
      int64_t have = 0;
      for (uint64_t b = static_cast<uint64_t>(g) * (256 * each / 4); have < want; ++b) {
        N numbers[each];
        make(stream.Block(b), numbers);
        for (int k = 0; k < each && have < want; ++k)
          if (std::abs(numbers[k]) < kTruncateAt) y[g * each + have++] = static_cast<T>(numbers[k]);
      }
    }
  });
}

template <class T>
void FillTruncatedOf(const Philox& stream, TensorRep& out) {
  FillTruncated<4, T, float>(stream, out, [](const PhiloxBlock& w, float* v) {
    NormalFloats(w[0], w[1], v);
    NormalFloats(w[2], w[3], v + 2);
  });
}

}  // namespace

void FillUniform(const Philox& stream, TensorRep& out) {
  switch (out.dtype) {
    case kFloat64:
      return FillBlocks<2, double>(stream, out, [](const PhiloxBlock& w, double* v) {
        v[0] = UniformDouble(w[0], w[1]);
        v[1] = UniformDouble(w[2], w[3]);
      });
    case kFloat16: return FillWords<Half>(stream, out, UniformHalf);
    case kBFloat16: return FillWords<BFloat16>(stream, out, UniformBFloat16);
    default: return FillWords<float>(stream, out, UniformFloat);
  }
}

void FillUniformInt(const Philox& stream, int64_t low, int64_t high, TensorRep& out) {
  if (out.dtype == kInt32) {
    const auto range = static_cast<uint32_t>(high) - static_cast<uint32_t>(low);
    return FillWords<int32_t>(stream, out, [=](uint32_t w) { return static_cast<int32_t>(static_cast<uint32_t>(low) + w % range); });
  }
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  FillBlocks<2, int64_t>(stream, out, [=](const PhiloxBlock& w, int64_t* v) {
    for (int k = 0; k < 2; ++k)
      v[k] = static_cast<int64_t>(static_cast<uint64_t>(low) + (w[2 * k] | uint64_t{w[2 * k + 1]} << 32) % range);
  });
}

void FillNormal(const Philox& stream, TensorRep& out) {
  switch (out.dtype) {
    case kFloat64: return FillBlocks<2, double>(stream, out, NormalDoubles);
    case kFloat16: return FillNormalOf<Half>(stream, out);
    case kBFloat16: return FillNormalOf<BFloat16>(stream, out);
    default: return FillNormalOf<float>(stream, out);
  }
}

void FillTruncatedNormal(const Philox& stream, TensorRep& out) {
  switch (out.dtype) {
    case kFloat64: return FillTruncated<2, double, double>(stream, out, NormalDoubles);
    case kFloat16: return FillTruncatedOf<Half>(stream, out);
    case kBFloat16: return FillTruncatedOf<BFloat16>(stream, out);
    default: return FillTruncatedOf<float>(stream, out);
  }
}

}  // namespace tandem
