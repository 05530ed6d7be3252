// What each source and transformation gives: one row, one pipeline.
#include "eager/data/dataset.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/eager/data/elements.h"

namespace tandem {
namespace {

using data::FromTensorSlices;
using data::kForever;
using data::Range;

struct Row {
  const char* name;
  std::string got;
  const char* want;
};

void Check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    INFO(row.name);
    CHECK(row.got == row.want);
  }
}

const Tensor kTable = {{1, 2}, {3, 4}, {5, 6}};
const Tensor kLabels = {10, 20, 30};

data::Dataset<1> Ragged() {
  return Range(1, 5).Map([](Tensor n) { return Fill(Ints(n.item<int64_t>()), n); });
}

}  // namespace

TEST_CASE("sources") {
  Check({
      {"slices", Elements(FromTensorSlices(kLabels)), "10 20 30"},
      {"slices of several", Elements(FromTensorSlices({kTable, kLabels})), "([1 2], 10) ([3 4], 20) ([5 6], 30)"},
      {"slices of strings", Elements(FromTensorSlices(Tensor{"a", "b"})), "b'a' b'b'"},
      {"no rows", Elements(FromTensorSlices(Zeros({0, 3}))), ""},
      {"rows without elements", Elements(FromTensorSlices(Zeros({2, 0}))), "[] []"},
      {"one element", Elements(data::FromTensors({kLabels, Tensor(1)})), "([10 20 30], 1)"},
      {"range", Elements(Range(3)), "0 1 2"},
      {"range with a step", Elements(Range(5, 0, -2)), "5 3 1"},
      {"empty range", Elements(Range(3, 1)), ""},
      {"widest range", Elements(Range(INT64_MIN, INT64_MAX, INT64_MAX)), "-9223372036854775808 -1 9223372036854775806"},
      {"generator", Elements(data::FromGenerator([i = 0]() mutable { return i < 3 ? std::optional<Tensor>(i++) : std::nullopt; })), "0 1 2"},
      {"generator of pairs", Elements(data::FromGenerator([i = 0]() mutable -> std::optional<std::pair<Tensor, Tensor>> {
         if (++i == 3) return std::nullopt;
         return std::pair<Tensor, Tensor>(i, i * i);
       })), "(1, 1) (2, 4)"},
      {"generator of Tensors", Elements(data::FromGenerator<2>([i = 0]() mutable { return i++ ? std::nullopt : std::optional(Tensors{1, 2}); })), "(1, 2)"},
      {"each pass has its own", Elements(data::FromGenerator([i = 0]() mutable { return i < 2 ? std::optional<Tensor>(i++) : std::nullopt; }).Repeat(2)), "0 1 0 1"},
  });
}

TEST_CASE("transformations") {
  Check({
      {"repeat", Elements(Range(2).Repeat(3)), "0 1 0 1 0 1"},
      {"repeat for ever", Elements(Range(2).Repeat(), 5), "0 1 0 1 0 ..."},
      {"repeat nothing for ever", Elements(Range(0).Repeat()), ""},
      {"repeat no time", Elements(Range(2).Repeat(0)), ""},
      {"repeat nothing, take one", Elements(Range(0).Repeat().Take(1)), ""},
      {"repeat what a filter leaves, nothing", Elements(Range(5).Filter([](Tensor) { return false; }).Repeat().Batch(2)), ""},
      {"nothing all the way", Elements(Range(0).Shuffle(4).Batch(2).Prefetch(1)), ""},
      {"batch", Elements(Range(5).Batch(2)), "[0 1] [2 3] [4]"},
      {"batch, full ones", Elements(Range(5).Batch(2, {.drop_remainder = true})), "[0 1] [2 3]"},
      {"batch larger than all", Elements(Range(2).Batch(int64_t{1} << 40)), "[0 1]"},
      {"batch far larger than all", Elements(FromTensorSlices(kLabels).Batch(INT64_MAX)), "[10 20 30]"},
      {"batch far larger than all, full ones", Elements(FromTensorSlices(kLabels).Batch(INT64_MAX, {.drop_remainder = true})), ""},
      {"batch of slices", Elements(FromTensorSlices({kTable, kLabels}).Batch(2)), "([[1 2]\n [3 4]], [10 20]) ([[5 6]], [30])"},
      {"batch of slices across passes", Elements(FromTensorSlices(kLabels).Repeat(2).Batch(4)), "[10 20 30 10] [20 30]"},
      {"batch of strings", Elements(FromTensorSlices(Tensor{"a", "b", "c"}).Map([](Tensor t) { return t; }).Batch(2)), "[b'a' b'b'] [b'c']"},
      {"padded batch", Elements(Ragged().PaddedBatch(3)), "[[1 0 0]\n [2 2 0]\n [3 3 3]] [[4 4 4 4]]"},
      {"padded batch to a shape", Elements(Ragged().Take(2).PaddedBatch(2, {.padded_shapes = {{3}}, .padding_values = {-1}})), "[[ 1 -1 -1]\n [ 2  2 -1]]"},
      {"padded batch of strings", Elements(FromTensorSlices(Tensor{"a"}).Map([](Tensor t) { return Reshape(t, {1}); })
                                               .Concatenate(FromTensorSlices(Tensor{{"b", "c"}})).PaddedBatch(2, {.padding_values = {"-"}})), "[[b'a' b'-']\n [b'b' b'c']]"},
      {"padded batch of matrices", Elements(data::FromTensors(Tensor{{1, 2}}).Concatenate(data::FromTensors(Tensor{{3}, {4}})).PaddedBatch(2)),
       "[[[1 2]\n  [0 0]]\n\n [[3 0]\n  [4 0]]]"},
      {"unbatch", Elements(FromTensorSlices({kTable, kTable}).Unbatch()), "(1, 1) (2, 2) (3, 3) (4, 4) (5, 5) (6, 6)"},
      {"window", Elements(Range(7).Window(3, {.shift = 2})), "[0 1 2] [2 3 4] [4 5 6] [6]"},
      {"window, full ones", Elements(Range(7).Window(3, {.shift = 2, .drop_remainder = true})), "[0 1 2] [2 3 4] [4 5 6]"},
      {"window with a stride", Elements(Range(7).Window(2, {.shift = 1, .stride = 3, .drop_remainder = true})), "[0 3] [1 4] [2 5] [3 6]"},
      {"window with gaps", Elements(Range(7).Window(2, {.shift = 3})), "[0 1] [3 4] [6]"},
      {"take", Elements(Range(5).Take(2)), "0 1"},
      {"take all", Elements(Range(3).Take(kForever)), "0 1 2"},
      {"take too many", Elements(Range(2).Take(9)), "0 1"},
      {"skip", Elements(Range(5).Skip(3)), "3 4"},
      {"skip all", Elements(Range(5).Skip(kForever)), ""},
      {"skip too many", Elements(Range(2).Skip(9)), ""},
      {"take, skip and batch of slices", Elements(FromTensorSlices(kLabels).Repeat().Skip(2).Take(4).Batch(3)), "[30 10 20] [30]"},
      {"shard", Elements(Range(8).Shard(3, 1)), "1 4 7"},
      {"shard of slices", Elements(FromTensorSlices(kLabels).Repeat(2).Shard(2, 1).Batch(2)), "[20 10] [30]"},
      {"enumerate", Elements(FromTensorSlices(kLabels).Enumerate(5)), "(5, 10) (6, 20) (7, 30)"},
      {"zip", Elements(data::Zip(Range(2), FromTensorSlices({kTable, kLabels}))), "(0, [1 2], 10) (1, [3 4], 20)"},
      {"concatenate", Elements(Range(2).Concatenate(Range(7, 9))), "0 1 7 8"},
      {"map", Elements(Range(3).Map([](Tensor x) { return x * x; })), "0 1 4"},
      {"map to pairs", Elements(Range(2).Map([](Tensor x) { return std::pair(x, x + 1); })), "(0, 1) (1, 2)"},
      {"map to Tensors", Elements(Range(2).Map<2>([](Tensor x) { return Tensors{x, x}; })), "(0, 0) (1, 1)"},
      {"map of pairs", Elements(FromTensorSlices({kLabels, kLabels}).Map([](Tensor a, const Tensor& b) { return a + b; })), "20 40 60"},
      {"map of an Element", Elements(FromTensorSlices({kLabels, kLabels}).Map([](data::Element<2> e) { return get<0>(e) - get<1>(e); })), "0 0 0"},
      {"map of a number", Elements(Range(2).Map([](Tensor x) { return x.item<int>() + 0.5; })), "0.5 1.5"},
      {"parallel map", Elements(Range(6).Map([](Tensor x) { return x * 2; }, {.num_parallel_calls = 3})), "0 2 4 6 8 10"},
      {"filter", Elements(Range(6).Filter([](Tensor x) { return x % 2 == 1; })), "1 3 5"},
      {"flat map", Elements(Range(1, 4).FlatMap([](Tensor n) { return Range(n.item<int64_t>()); })), "0 0 1 0 1 2"},
      {"interleave", Elements(Range(1, 6).Interleave([](Tensor n) { return data::FromTensors(n).Repeat(6); }, {.cycle_length = 2, .block_length = 4})),
       "1 1 1 1 2 2 2 2 1 1 2 2 3 3 3 3 4 4 4 4 3 3 4 4 5 5 5 5 5 5"},
      {"parallel interleave", Elements(Range(1, 6).Interleave([](Tensor n) { return data::FromTensors(n).Repeat(6); },
                                                              {.cycle_length = 2, .block_length = 4, .num_parallel_calls = 2})),
       "1 1 1 1 2 2 2 2 1 1 2 2 3 3 3 3 4 4 4 4 3 3 4 4 5 5 5 5 5 5"},
      {"prefetch", Elements(Range(4).Prefetch(2)), "0 1 2 3"},
      {"cache", Elements(Range(3).Cache().Repeat(2)), "0 1 2 0 1 2"},
  });
}

TEST_CASE("a batch of rows that follow each other shares their memory") {
  for (const Tensor& x : FromTensorSlices(kTable).Batch(2)) {
    CHECK(x.data<int>().data() == kTable.data<int>().data());
    break;
  }
}

TEST_CASE("shuffle gives each element once, in an order its seed says") {
  const auto order = [](data::Dataset<1> dataset) { return Elements(dataset); };
  const auto numbers = FromTensorSlices(Tensor{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (const auto& base : {numbers, numbers.Map([](Tensor t) { return t; })}) {  // by row numbers, by elements
    const std::string one = order(base.Shuffle(10, {.seed = 1}));
    CHECK(one == order(base.Shuffle(10, {.seed = 1})));
    CHECK(one != order(base.Shuffle(10, {.seed = 2})));
    CHECK(one != order(base));
    // A small buffer keeps an element near its place: it cannot come before it was read.
    int64_t at = 0;
    for (const Tensor& x : base.Shuffle(3, {.seed = 1})) CHECK(x.item<int>() < 3 + at++);
    std::multiset<int> seen;
    for (const Tensor& x : base.Shuffle(4, {.seed = 5}).Repeat(2)) seen.insert(x.item<int>());
    CHECK(seen.size() == 20);
    for (int i = 0; i < 10; ++i) CHECK(seen.count(i) == 2);
  }
  CHECK(order(numbers.Shuffle(1, {.seed = 1})) == order(numbers));
  CHECK(order(numbers.Shuffle(10, {.seed = 0, .reshuffle_each_iteration = false})) != order(numbers.Shuffle(10, {.seed = 1, .reshuffle_each_iteration = false})));
  // Rows and elements are drawn alike.
  CHECK(order(numbers.Shuffle(4, {.seed = 3})) == order(numbers.Map([](Tensor t) { return t; }).Shuffle(4, {.seed = 3})));
  CHECK(order(numbers.Shuffle(10, {.seed = 3}).Batch(10)) == "[" + order(numbers.Shuffle(10, {.seed = 3})) + "]");
}

TEST_CASE("each pass and each loop has another order unless it is told not to") {
  const auto numbers = Range(12);
  const auto halves = [](const std::string& text) { return std::pair(text.substr(0, text.size() / 2), text.substr(text.size() / 2 + 1)); };
  const auto [first, second] = halves(Elements(numbers.Shuffle(12, {.seed = 1}).Repeat(2)));
  CHECK(first != second);
  const auto [same, again] = halves(Elements(numbers.Shuffle(12, {.seed = 1, .reshuffle_each_iteration = false}).Repeat(2)));
  CHECK(same == again);
  const auto loops = numbers.Shuffle(12, {.seed = 1});
  const std::string loop = Elements(loops);
  CHECK(loop == first);
  CHECK(loop != Elements(loops));
  // A split by Take and Skip needs an order that stays; without a seed too.
  const auto fixed = numbers.Shuffle(12, {.reshuffle_each_iteration = false});
  CHECK(Elements(fixed) == Elements(fixed.Take(5)) + " " + Elements(fixed.Skip(5)));
  // The global seed says the order of shuffles without one.
  SetRandomSeed(7);
  const std::string drawn = Elements(numbers.Shuffle(12));
  const std::string next = Elements(numbers.Shuffle(12));
  SetRandomSeed(7);
  CHECK(Elements(numbers.Shuffle(12)) == drawn);
  CHECK(drawn != next);
}

TEST_CASE("all orders are as likely") {
  std::map<std::string, int> orders;
  for (int seed = 0; seed < 6000; ++seed) ++orders[Elements(Range(3).Shuffle(3, {.seed = seed}))];
  CHECK(orders.size() == 6);
  for (const auto& [order, count] : orders) CHECK(std::abs(count - 1000) < 150);  // five standard deviations
}

TEST_CASE("elements bind to names, numbered or not") {
  int64_t total = 0;
  for (auto& element : FromTensorSlices({kTable, kLabels})) {
    auto& [row, label] = element;
    total += Sum(row).item<int64_t>() + label.item<int64_t>();
  }
  CHECK(total == 81);
  for (auto [i, batch] : Enumerate(FromTensorSlices({kTable, kLabels}).Batch(1))) {  // a temporary lives on
    auto& [row, label] = batch;
    CHECK(label.item<int64_t>() == 10 * (i + 1));
    CHECK(row.dim(0) == 1);
  }
  const auto four = data::Zip(Range(1), Range(1, 2), Range(2, 3), Range(3, 4));
  for (auto& [a, b, c, d] : four) CHECK((a + b + c + d).item<int>() == 6);
  for (auto& x : Range(1)) {  // an element of one tensor is a tensor
    CHECK((x + 1).item<int>() == 1);
    auto& [same] = x;
    CHECK(same.item<int>() == 0);
  }
  std::vector<int> plain = {5, 6};
  for (auto [i, value] : Enumerate(plain, 1)) value += static_cast<int>(i);
  CHECK(plain == std::vector<int>{6, 8});
}

TEST_CASE("functions run eagerly and on no tape, whoever asks") {
  Variable w(2.);
  GradientTape tape;
  Tensor y;
  for (const Tensor& x : FromTensorSlices(Tensor{1., 3.}).Map([&](Tensor t) { return t * w; })) y = y.defined() ? y + x : x;
  CHECK(y.item<double>() == 8);
  CHECK_FALSE(tape.Gradient(y, w).defined());
  Graph graph;
  GraphScope scope(graph);
  for (const Tensor& x : Range(2).Map([](Tensor t) { return t + 1; })) CHECK_FALSE(x.symbolic());
}

}  // namespace tandem
