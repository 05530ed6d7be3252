#include "tandem.h"
#include "tools/bench/peers.h"

namespace tandem::bench {
namespace {

template <size_t N>
void Drain(const data::Dataset<N>& dataset) {
  for ([[maybe_unused]] auto& element : dataset) {}
}

}  // namespace

PeerItem DataPeer() {
  return {"10", "shuffled batches of 60,000 rows, and a function for each element", "us", [] {
            constexpr int64_t kRows = 60'000, kBatch = 64;
            const auto rows = data::FromTensorSlices({RandomUniform({kRows, 784}), Zeros({kRows}, kInt64)});
            const auto numbers = data::Range(kRows);
            const std::string gather = "shuffle+batch 64x784 (per sample)", map = "map x+1 per element (per sample)";
            return std::vector<PeerRow>{
                {gather, "Dataset shuffle(60000).batch", kRows, [d = rows.Shuffle(kRows).Batch(kBatch)] { Drain(d); }},
                {gather, "Dataset shuffle(1024).batch", kRows, [d = rows.Shuffle(1024).Batch(kBatch)] { Drain(d); }},
                {gather, "Dataset batch only", kRows, [d = rows.Batch(kBatch)] { Drain(d); }},
                {map, "Dataset range.batch", kRows, [d = numbers.Batch(kBatch)] { Drain(d); }},
                {map, "Dataset range.map.batch", kRows, [d = numbers.Map([](Tensor x) { return x + 1; }).Batch(kBatch)] { Drain(d); }},
            };
          }};
}

}  // namespace tandem::bench
