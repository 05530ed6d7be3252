// Iterators that are saved in the middle and go on in another.
#include "eager/data/iterator.h"

#include <catch2/catch.hpp>
#include <functional>

#include "tests/eager/data/elements.h"
#include "tests/temporary.h"

namespace tandem {
namespace {

using data::Dataset;
using data::FromTensorSlices;
using data::Range;

const Tensor kNumbers = {0, 1, 2, 3, 4, 5, 6};

// Pipelines are made anew, as another process would.
const std::pair<const char*, std::function<Dataset<1>()>> kPipelines[] = {
    {"slices", [] { return FromTensorSlices(kNumbers); }},
    {"shuffled slices", [] { return FromTensorSlices(kNumbers).Shuffle(5).Repeat(2).Batch(3); }},
    {"shuffled elements", [] { return Range(7).Map([](Tensor x) { return x + 1; }).Shuffle(3).Repeat(2).Batch(2); }},
    {"two shuffles", [] { return Range(7).Shuffle(7, {.seed = 1}).Shuffle(3).Take(6); }},
    {"parts", [] { return Range(20).Skip(1).Shard(3, 1).Concatenate(Range(2)).Take(7); }},
    {"filter", [] { return Range(12).Filter([](Tensor x) { return x % 3 != 0; }); }},
    {"threads", [] { return Range(9).Shuffle(4).Map([](Tensor x) { return x * x; }, {.num_parallel_calls = 2}).Prefetch(2); }},
    {"nested", [] { return Range(1, 5).Interleave([](Tensor n) { return Range(n.item<int64_t>()); }, {.cycle_length = 2}); }},
    {"windows", [] { return Range(9).Window(3, {.shift = 2}).Unbatch(); }},
    {"cached", [] { return Range(4).Cache().Repeat(2); }},
    {"errors count", [] { return Range(5).Map([](Tensor x) { return x.item<int>() == 2 ? MatMul(x, x) : x; }); }},
    {"padded", [] { return Range(5).PaddedBatch(2); }},
    {"empty", [] { return Range(0); }},
};

}  // namespace

TEST_CASE("a restored iterator gives the elements that were left") {
  for (const auto& [name, make] : kPipelines) {
    INFO(name);
    for (int taken = 0;; ++taken) {
      INFO(taken << " taken");
      auto it = make().MakeIterator();
      const std::string before = taken == 0 ? "" : Elements(it, taken);
      const Tensor state = it.Save();
      auto restored = make().MakeIterator();
      if (taken % 2 == 0) Elements(restored, 2);  // wherever it stood
      restored.Restore(state);
      CHECK(restored.Save().ToString() == state.ToString());
      CHECK(Elements(restored) == Elements(it));
      if (!before.ends_with(" ...") && taken > 0) break;
      REQUIRE(taken < 100);
    }
  }
}

TEST_CASE("functions are not called for what is passed over") {
  int calls = 0;
  const auto make = [&] { return Range(100).Map([&](Tensor x) { ++calls; return x; }).Batch(10); };
  const auto rows = [&] { return FromTensorSlices(kNumbers).Repeat(1000).Shuffle(50, {.seed = 1}).Map([&](Tensor x) { ++calls; return x; }); };
  auto it = rows().MakeIterator();
  Elements(it, 5000);
  auto other = rows().MakeIterator();
  calls = 0;
  other.Restore(it.Save());
  CHECK(calls == 0);
  CHECK(other.Next()->item<int>() == it.Next()->item<int>());
  CHECK(Elements(make()) != "");
}

TEST_CASE("a checkpoint finds the position in the iterator's state") {
  auto it = FromTensorSlices(kNumbers).Shuffle(7).MakeIterator();
  const auto state = it.state();
  REQUIRE(state->values().size() == 1);
  CHECK(state->values()[0].name == "position");
  it.Next();
  const Tensor saved = state->values()[0].save();
  CHECK(saved.dtype() == kInt64);
  const std::string rest = Elements(it);
  state->values()[0].restore(saved);
  CHECK(Elements(it) == rest);
}

TEST_CASE("a checkpoint saves iterators beside variables") {
  TemporaryFolder folder;
  const auto make = [] { return FromTensorSlices(kNumbers).Shuffle(7).Batch(2); };
  auto it = make().MakeIterator();
  Variable step(int64_t{0});
  it.Next();
  step.Assign(int64_t{1});
  const std::string path = train::Checkpoint({{"iterator", it}, {"step", step}}).Save(folder / "ckpt");
  const std::string rest = Elements(it);
  auto other = make().MakeIterator();
  Variable restored(int64_t{0});
  train::Checkpoint({{"iterator", other}, {"step", restored}}).Restore(path).AssertConsumed();
  CHECK(Elements(other) == rest);
  CHECK(restored.item<int>() == 1);
}

TEST_CASE("the state of another pipeline is refused") {
  auto it = Range(5).Shuffle(2).MakeIterator();
  const std::string want = "is of another pipeline: this one, which ends with Shuffle, has int64[4]";
  for (const Tensor& state : {Range(5).MakeIterator().Save(), Tensor(1), Tensor{1, 2, 3, 4}, Tensor(std::vector<int64_t>{2, 0, 0, 0}), Tensor(std::vector<int64_t>{1, 0, -1, 0})})
    CHECK_THAT(Thrown([&] { it.Restore(state); }), Catch::StartsWith("INVALID_ARGUMENT Iterator: the state ") && Catch::EndsWith(want));
  CHECK(it.Next());
}

}  // namespace tandem
