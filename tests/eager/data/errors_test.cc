// Wrong arguments, functions that throw, elements that do not fit.
#include <catch2/catch.hpp>

#include "core/status.h"
#include "tests/eager/data/elements.h"

namespace tandem {
namespace {

using data::FromTensorSlices;
using data::Range;

struct Own {
  int value;
};

data::Dataset<1> Bad(int64_t at) {
  return Range(4).Map([at](Tensor x) {
    if (x.item<int64_t>() == at) ThrowError(InvalidArgument("is bad"));
    return x;
  });
}

}  // namespace

TEST_CASE("wrong arguments are told when the dataset is made") {
  struct Row {
    std::string got;
    const char* want;
  };
  const Row rows[] = {
      {Thrown([] { FromTensorSlices(Tensor(1)); }), "INVALID_ARGUMENT FromTensorSlices: component 0 is a scalar, needs rank 1 or more"},
      {Thrown([] { FromTensorSlices({Zeros({2, 3}), Zeros({3})}); }), "INVALID_ARGUMENT FromTensorSlices: first dimensions differ: component 0 is [2,3], component 1 is [3]"},
      {Thrown([] { FromTensorSlices(Tensor()); }), "INVALID_ARGUMENT FromTensorSlices: a tensor is undefined"},
      {Thrown([] { Range(0, 1, 0); }), "INVALID_ARGUMENT Range: step is 0"},
      {Thrown([] { Range(3).Batch(0); }), "INVALID_ARGUMENT Batch: batch_size is 0, must be at least 1"},
      {Thrown([] { Range(3).PaddedBatch(-1); }), "INVALID_ARGUMENT PaddedBatch: batch_size is -1, must be at least 1"},
      {Thrown([] { Range(3).Shuffle(0); }), "INVALID_ARGUMENT Shuffle: buffer_size is 0, must be at least 1"},
      {Thrown([] { Range(3).Repeat(-2); }), "INVALID_ARGUMENT Repeat: count is -2, must be at least -1"},
      {Thrown([] { Range(3).Take(-2); }), "INVALID_ARGUMENT Take: count is -2, must be at least -1"},
      {Thrown([] { Range(3).Skip(-2); }), "INVALID_ARGUMENT Skip: count is -2, must be at least -1"},
      {Thrown([] { Range(3).Shard(0, 0); }), "INVALID_ARGUMENT Shard: num_shards is 0, must be at least 1"},
      {Thrown([] { Range(3).Shard(2, 2); }), "INVALID_ARGUMENT Shard: index is 2, must be in [0, 2)"},
      {Thrown([] { Range(3).Prefetch(0); }), "INVALID_ARGUMENT Prefetch: buffer_size is 0, must be at least 1"},
      {Thrown([] { Range(3).Window(0); }), "INVALID_ARGUMENT Window: size is 0, must be at least 1"},
      {Thrown([] { Range(3).Window(2, {.stride = 0}); }), "INVALID_ARGUMENT Window: stride is 0, must be at least 1"},
      {Thrown([] { Range(3).Map([](Tensor t) { return t; }, {.num_parallel_calls = 0}); }), "INVALID_ARGUMENT Map: num_parallel_calls is 0, must be at least 1"},
      {Thrown([] { Range(3).Interleave([](Tensor) { return Range(1); }, {.cycle_length = 0}); }), "INVALID_ARGUMENT Interleave: cycle_length is 0, must be at least 1"},
      {Thrown([] { data::TFRecord("x", {.compression = "gzip"}); }), "INVALID_ARGUMENT TFRecord: compression is \"gzip\", must be \"\", \"GZIP\" or \"ZLIB\""},
  };
  for (const Row& row : rows) CHECK(row.got == row.want);
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, {2}, "x");
  CHECK(Thrown([&] { FromTensorSlices(x); }) == "INVALID_ARGUMENT FromTensorSlices: x:0 is symbolic: a dataset holds values");
}

TEST_CASE("errors say stage and element, and the next element follows") {
  struct Row {
    const char* name;
    std::string got;
    const char* want;
  };
  const Row rows[] = {
      {"map", Elements(Bad(1)), "0 !Map: element 1: is bad 2 3"},
      {"parallel map", Elements(Range(4).Map([](Tensor x) { return x.item<int>() == 1 ? MatMul(x, x) : x; }, {.num_parallel_calls = 2})),
       "0 !Map: element 1: MatMul: a must be a matrix, is [] 2 3"},
      {"behind prefetch", Elements(Bad(1).Prefetch(2)), "0 !Map: element 1: is bad 2 3"},
      {"in a batch, which stays whole", Elements(Bad(1).Batch(2)), "!Map: element 1: is bad [0 2] [3]"},
      {"in a padded batch", Elements(Bad(1).PaddedBatch(2)), "!Map: element 1: is bad [0 2] [3]"},
      {"in a window", Elements(Bad(1).Window(2)), "!Map: element 1: is bad [0 2] [3]"},
      {"in one of a zip", Elements(data::Zip(Bad(1), Range(4))), "(0, 0) !Map: element 1: is bad (2, 2) (3, 3)"},
      {"in a shuffle of one", Elements(Bad(1).Shuffle(1)), "0 !Map: element 1: is bad 2 3"},
      {"filter", Elements(Range(3).Filter([](Tensor x) {
         if (x.item<int>() == 1) ThrowError(InvalidArgument("is bad"));
         return true;
       })), "0 !Filter: element 1: is bad 2"},
      {"each pass", Elements(Bad(3).Repeat(2)), "0 1 2 !Map: element 3: is bad 0 1 2 !Map: element 3: is bad"},
      {"generator, whose pass is over", Elements(data::FromGenerator([i = 0]() mutable -> std::optional<Tensor> {
         if (i == 2) ThrowError(InvalidArgument("is bad"));
         return i++;
       })), "0 1 !FromGenerator: element 2: is bad"},
      {"flat map", Elements(Range(3).FlatMap([](Tensor x) {
         if (x.item<int>() == 1) ThrowError(InvalidArgument("is bad"));
         return data::FromTensors(x);
       })), "0 !FlatMap: element 1: is bad 2"},
      {"batch of unequal shapes", Elements(data::FromTensors(Tensor{1}).Concatenate(data::FromTensors(Tensor{1, 2})).Batch(2)),
       "!Batch: element 1: component 0 is int32[2], of element 0 in its batch int32[1]"},
      {"padded batch of unequal ranks", Elements(data::FromTensors(Tensor{1}).Concatenate(data::FromTensors(Tensor(1))).PaddedBatch(2)),
       "!PaddedBatch: element 1: component 0 is int32[], wanted int32[?]"},
      {"padded batch, too large", Elements(data::FromTensors(Tensor{1, 2}).PaddedBatch(2, {.padded_shapes = {{1}}})),
       "!PaddedBatch: element 0: component 0 is [2], more than padded_shapes [1]"},
      {"padded batch, more than memory", Elements(data::FromTensors(Tensor{1, 2}).PaddedBatch(2, {.padded_shapes = {{int64_t{1} << 62}}})),
       "!PaddedBatch: no memory for int32[1,4611686018427387904]"},
      {"unbatch of scalars", Elements(Range(1).Unbatch()), "!Unbatch: element 0: component 0 is a scalar, needs rank 1 or more"},
      {"fewer tensors than said", Elements(Range(1).Map<2>([](Tensor x) { return Tensors{x}; })), "!Dataset: the element has 1 tensor, 2 are bound"},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    CHECK(row.got == row.want);
  }
}

TEST_CASE("an exception comes out as it was thrown") {
  for (const int calls : {1, 3})
    for (const bool ahead : {false, true}) {
      auto dataset = Range(3).Map([](Tensor x) -> Tensor {
        if (x.item<int>() == 1) throw Own{42};
        return x;
      }, {.num_parallel_calls = calls});
      if (ahead) dataset = dataset.Prefetch(1);
      auto it = dataset.MakeIterator();
      CHECK(it.Next()->item<int>() == 0);
      try {
        it.Next();
        FAIL("nothing was thrown");
      } catch (const Own& own) {
        CHECK(own.value == 42);
      }
      CHECK(it.Next()->item<int>() == 2);
      CHECK_FALSE(it.Next());
      CHECK_FALSE(it.Next());
    }
  auto it = data::FromGenerator([]() -> std::optional<Tensor> { throw Own{7}; }).MakeIterator();
  CHECK_THROWS_AS(it.Next(), Own);
  CHECK_FALSE(it.Next());
  // A loop ends by it, and another can begin.
  const auto dataset = Bad(2);
  int seen = 0;
  CHECK_THROWS_AS([&] { for (auto& x : dataset) seen += x.item<int>() + 1; }(), Error);
  CHECK(seen == 3);
  CHECK(Elements(dataset) == "0 1 !Map: element 2: is bad 3");
}

}  // namespace tandem
