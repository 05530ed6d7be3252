#include <thread>

#include "core/parallel.h"
#include "tandem.h"
#include "tools/bench/bench.h"

namespace tandem::bench {
namespace {

using Clock = std::chrono::steady_clock;

// Images of float32[784] and their labels, shuffled and batched, against the gathers of the same rows.
Measured ShuffleBatch() {
  SetNumThreads(1);
  constexpr int64_t kImages = 10'000, kBatch = 32;
  const Tensor images = RandomUniform({kImages, 784}), labels = Cast(RandomUniform({kImages}) * 10., kInt32);
  std::vector<int64_t> numbers(kImages);
  for (int64_t i = 0; i < kImages; ++i) numbers[i] = i;
  Tensors rows;
  for (const Tensor& batch : data::FromTensorSlices(numbers).Shuffle(kImages, {.seed = 1}).Batch(kBatch)) rows.push_back(batch);
  auto it = data::FromTensorSlices({images, labels}).Shuffle(kImages, {.seed = 1}).Repeat().Batch(kBatch).MakeIterator();
  data::Element<2> element;
  size_t at = 0;
  const Measured m = Compare([&] { it.Next(element); },
                             [&] {
                               const Tensor& r = rows[at++ % rows.size()];
                               Tensor a = Gather(images, r), b = Gather(labels, r);
                             });
  SetNumThreads(0);
  return m;
}

// What Map costs an element beside its function: the loop with the function in the pipeline, less the loop that calls it.
Measured MapElement() {
  constexpr int64_t kElements = 10'000;
  const auto function = [](Tensor x) { return x; };
  const auto source = data::Range(kElements), mapped = source.Map(function);
  int64_t total = 0;
  const Measured both = Compare([&] { for (auto& x : mapped) total += x.size(); },
                                [&] { for (auto& x : source) total += function(std::move(x)).size(); });
  return {(both.ns - both.reference_ns) / kElements, 60};
}

// A step that computes and a producer that waits as long, ahead of it on its own thread; against the steps alone.
Measured PrefetchHides() {
  constexpr int kSteps = 50, kSamples = 5;
  constexpr auto kTime = std::chrono::milliseconds(2);
  const auto step = [&] {
    for (const auto end = Clock::now() + kTime; Clock::now() < end;) {}
  };
  const auto dataset = data::Range(kSteps).Map([&](Tensor x) {
    std::this_thread::sleep_for(kTime);
    return x;
  }).Prefetch(2);
  const auto time = [&](auto&& more) {
    const auto begin = Clock::now();
    do step();
    while (more());
    return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / kSteps;
  };
  Measured m{1e300, 1e300};
  for (int i = 0; i < kSamples; ++i) {
    auto it = dataset.MakeIterator();
    const auto first = it.Next();  // nothing hides the first element
    m.ns = std::min(m.ns, time([&] { return it.Next().has_value(); }));
    int steps = 1;
    m.reference_ns = std::min(m.reference_ns, time([&] { return ++steps <= kSteps; }));
  }
  return m;
}

}  // namespace

std::vector<Bench> DataBenches() {
  return {
      {"shuffle_batch", "10,000 rows of float32[784] and labels, shuffled, in batches of 32 / gathers of the same rows", 1 / .9, ShuffleBatch},
      {"map_element", "an element's way through Map, beside the function / the 60 ns it may take", 1, MapElement},
      {"prefetch_hides", "a step of 2 ms behind Prefetch, with a producer of 2 ms / the step alone: 1.1 is 90% hidden", 1.1, PrefetchHides},
  };
}

}  // namespace tandem::bench
