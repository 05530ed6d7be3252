#include "eager/data/graph_iterator.h"

#include <catch2/catch.hpp>

#include "core/context.h"
#include "tests/eager/data/elements.h"

namespace tandem {
namespace {

using data::MakeInitializableIterator;
using data::Range;

}  // namespace

TEST_CASE("each Run takes the next element, OUT_OF_RANGE ends") {
  Graph graph;
  std::string start;
  {
    GraphScope scope(graph);
    NameScope inner("input");
    auto iterator = MakeInitializableIterator(Range(5).Map([](Tensor x) { return std::pair(x, Cast(x, kFloat32) * 1.5); }).Batch(2));
    start = iterator.initializer();
    auto [x, y] = iterator.GetNext();
    CHECK(x.dtype() == kInt64);
    CHECK(y.dtype() == kFloat32);
    Identity(Cast(x, kFloat32) + y, "sum");
    Identity(x, "x");
  }
  for (const OptLevel level : {OptLevel::kO0, OptLevel::kO2}) {
    Session session(graph, {.level = level});
    CHECK_THAT(Thrown([&] { session.Run({}, "input/sum:0"); }), Catch::StartsWith("FAILED_PRECONDITION IteratorGetNext: the iterator was not initialized"));
    for (int pass = 0; pass < 2; ++pass) {
      session.Run({}, std::vector<TensorName>{}, {start});
      const Tensors both = session.Run({}, std::vector<TensorName>{"input/sum:0", "input/x:0"});  // of one element
      CHECK(both[0].ToString() == "[0.  2.5]");
      CHECK(both[1].ToString() == "[0 1]");
      CHECK(session.Run({}, "input/x:0").ToString() == "[2 3]");
      CHECK(session.Run({}, "input/x:0").ToString() == "[4]");
      for (int i = 0; i < 2; ++i) CHECK_THAT(Thrown([&] { session.Run({}, "input/x:0"); }), Catch::StartsWith("OUT_OF_RANGE IteratorGetNext: end of sequence; node "));
    }
  }
}

TEST_CASE("each start has the first order again, each pass another") {
  Graph graph;
  std::string start;
  {
    GraphScope scope(graph);
    auto iterator = MakeInitializableIterator(Range(9).Shuffle(9, {.seed = 1}).Batch(9).Repeat(2));
    start = iterator.initializer();
    Identity(get<0>(iterator.GetNext()), "x");
  }
  Session session(graph);
  std::string orders[4];
  for (int i = 0; i < 4; ++i) {
    if (i % 2 == 0) session.Run({}, std::vector<TensorName>{}, {start});
    orders[i] = session.Run({}, "x:0").ToString();
  }
  CHECK(orders[0] == orders[2]);
  CHECK(orders[1] == orders[3]);
  CHECK(orders[0] != orders[1]);
}

TEST_CASE("handles of other things are refused") {
  Graph graph;
  GraphScope scope(graph);
  const Variable w(1.);
  const std::vector<DType> types = {kFloat32};
  const std::vector<Shape> shapes = {{}};
  const Tensor next = RunMany(Op<"IteratorGetNext">(), Tensors{w.handle()}, {types, shapes})[0];
  CHECK_THAT(Thrown([&] { Session(graph).Run({}, next); }), Catch::StartsWith("INVALID_ARGUMENT IteratorGetNext: an iterator is expected, the handle holds a variable; node "));
}

TEST_CASE("shapes are known where the pipeline knows them") {
  const auto slices = data::FromTensorSlices({Zeros({10, 3}, kFloat32), Zeros({10}, kInt32)});
  Graph graph;
  GraphScope scope(graph);
  auto [a, b] = MakeInitializableIterator(slices.Shuffle(4).Repeat().Batch(5)).GetNext();
  CHECK(a.shape().ToString() == "[?,3]");
  CHECK(b.shape().ToString() == "[?]");
  auto [c, d] = MakeInitializableIterator(slices.Batch(5, {.drop_remainder = true})).GetNext();
  CHECK(c.shape().ToString() == "[5,3]");
  auto [e] = MakeInitializableIterator(Range(3).Map([](Tensor x) { return x; })).GetNext();
  CHECK(e.shape().ToString() == "<unknown>");
  auto [f] = MakeInitializableIterator(Range(3).Map([](Tensor x) { return x; }), {.output_types = {kInt64}, .output_shapes = {{}}}).GetNext();
  CHECK(f.shape().ToString() == "[]");
}

TEST_CASE("what a pipeline throws is the Run's error, and what was declared is held") {
  Graph graph;
  std::string start, wrong;
  {
    GraphScope scope(graph);
    auto iterator = MakeInitializableIterator(Range(3).Map([](Tensor x) { return x.item<int>() == 1 ? MatMul(x, x) : x; }));
    start = iterator.initializer();
    Identity(get<0>(iterator.GetNext()), "x");
    auto other = MakeInitializableIterator(Range(3), {.output_types = {kFloat32}});
    wrong = other.initializer();
    Identity(get<0>(other.GetNext()), "y");
  }
  Session session(graph);
  session.Run({}, std::vector<TensorName>{}, {start});
  CHECK(session.Run({}, "x:0").item<int>() == 0);
  CHECK_THAT(Thrown([&] { session.Run({}, "x:0"); }), Catch::StartsWith("INVALID_ARGUMENT IteratorGetNext: Map: element 1: MatMul: "));
  CHECK(session.Run({}, "x:0").item<int>() == 2);
  session.Run({}, std::vector<TensorName>{}, {wrong});
  CHECK_THAT(Thrown([&] { session.Run({}, "y:0"); }), Catch::StartsWith("INVALID_ARGUMENT IteratorGetNext: component 0 is int64[], declared is float32[]"));
}

TEST_CASE("where it is no use it says so") {
  CHECK(Thrown([] { MakeInitializableIterator(Range(3)); }) ==
        "FAILED_PRECONDITION MakeInitializableIterator: needs a GraphScope; eagerly, loop over the dataset or use MakeIterator");
  Graph graph;
  GraphScope scope(graph);
  CHECK(Thrown([] { MakeInitializableIterator(Range(0).Map([](Tensor x) { return x; })); }) ==
        "INVALID_ARGUMENT MakeInitializableIterator: the dataset is empty and its dtypes are not known: give output_types");
  CHECK(Thrown([] { MakeInitializableIterator(Range(3), {.output_types = {kInt64, kInt64}}); }) ==
        "INVALID_ARGUMENT MakeInitializableIterator: elements have 1 tensor, output_types has 2 entries");
  CHECK(Thrown([] { MakeInitializableIterator(Range(3), {.output_shapes = {{}, {}}}); }) ==
        "INVALID_ARGUMENT MakeInitializableIterator: elements have 1 tensor, output_shapes has 2 entries");
}

}  // namespace tandem
