// Shuffled batches of the digits, the same in each example.
#pragma once
#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "examples/digits.h"
#include "tandem.h"

inline constexpr int64_t kBatch = 32;
inline constexpr int kEpochs = 5;

// Images [32, 28, 28, 1] and labels [32] of each step of an epoch; what does not fill a batch is left out.
inline std::vector<std::pair<tandem::Tensor, tandem::Tensor>> Batches(const Digits& digits, int epoch) {
  std::vector<int32_t> order(digits.images.dim(0));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(epoch));
  std::vector<std::pair<tandem::Tensor, tandem::Tensor>> batches;
  for (size_t begin = 0; begin + kBatch <= order.size(); begin += kBatch) {
    const tandem::Tensor rows = std::span(order).subspan(begin, kBatch);
    batches.emplace_back(tandem::Gather(digits.images, rows), tandem::Gather(digits.labels, rows));
  }
  return batches;
}

// The part of the digits that the network names rightly.
inline float Accuracy(const tandem::Tensor& logits, const tandem::Tensor& labels) {
  using namespace tandem;
  return Mean(Cast(Equal(ArgMax(logits, 1, kInt32), Cast(labels, kInt32)), kFloat32)).item<float>();
}
