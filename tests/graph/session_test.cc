#include "graph/session.h"

#include <catch2/catch.hpp>
#include <thread>

#include "core/tensor_compare.h"
#include "tandem.h"

namespace tandem {
namespace {

const OptLevel kLevels[] = {OptLevel::kO0, OptLevel::kO1, OptLevel::kO2, OptLevel::kO3};

template <class F>
std::pair<Code, std::string> Thrown(F f) {
  try {
    f();
  } catch (const Error& e) {
    return {e.code(), e.message()};
  }
  return {Code::kOk, ""};
}

std::string Text(const Tensor& t) { return t.ToString(); }

}  // namespace

TEST_CASE("a tensor has one value a Run, in the order asked for, fed and fetched at once") {
  Graph graph;
  Tensor x, y;
  {
    GraphScope scope(graph);
    x = Placeholder(kFloat32, Shape{}, "x");
    y = Identity(x + 1., "y");
  }
  for (const OptLevel level : kLevels) {
    Session session(graph, {.level = level});
    const Tensors out = session.Run({{"x:0", 7.}}, {"y", "x", "y:0", y}, {"y", "y"});
    CHECK(out[0].item<float>() == 8);
    CHECK(out[1].item<float>() == 7);
    CHECK(out[2].item<float>() == 8);
    CHECK(out[3].item<float>() == 8);
    CHECK(session.Run({{y, 5.}}, y).item<float>() == 5);  // a fed tensor hides what computes it, x included
  }
}

TEST_CASE("an inner node that is fetched, fed or waited for keeps its value through fusion") {
  Graph graph;
  {
    GraphScope scope(graph);
    const Tensor x = Placeholder(kFloat32, {1, 2}, "x");
    const Tensor m = MatMul(x, Tensor({{1., 0.}, {0., 1.}}));
    const Tensor b = Identity(m + Tensor({0., 1.}), "b");
    Identity(Relu(b), "r");
    Identity(b * 10., "s");
  }
  const Tensor x = {{1., -2.}};
  for (const OptLevel level : kLevels) {
    Session session(graph, {.level = level});
    const Tensors rb = session.Run({{"x", x}}, {"r", "b"});
    CHECK(Text(rb[0]) == "[[1. 0.]]");
    CHECK(Text(rb[1]) == "[[ 1. -1.]]");
    CHECK(Text(session.Run({{"x", x}}, {"r", "s"})[1]) == "[[ 10. -10.]]");
    CHECK(Text(session.Run({{"b", Tensor({{5., -5.}})}}, "r")) == "[[5. 0.]]");
  }
}

TEST_CASE("what has to be fed, and what the error says") {
  Graph graph;
  {
    GraphScope scope(graph);
    const Tensor q = Placeholder(kFloat32, {-1, 784}, "q");
    Identity(Sum(q), "total");
    Identity(ShapeOf(Placeholder(kFloat32, {4, 5}, "p")), "dims");
    Identity(Tensor(3.), "three");
  }
  struct Row {
    std::vector<Feed> feeds;
    const char* fetch;
    Code code;
    const char* message;
  };
  const Row rows[] = {
      {{}, "three", Code::kOk, ""},
      {{}, "dims", Code::kInvalidArgument, "Run: placeholder \"p\" (float32[4,5]) must be fed"},
      {{{"q", Zeros({50, 2352}, kFloat32)}}, "total", Code::kInvalidArgument, "Run: \"q\" is fed float32[50,2352], its shape is [?,784]"},
      {{{"q", Zeros({1, 784}, kInt64)}}, "total", Code::kInvalidArgument, "Run: \"q\" is fed int64, it is float32"},
      {{{"q", Zeros({1, 784}, kFloat32)}, {"q:0", Zeros({1, 784}, kFloat32)}}, "total", Code::kInvalidArgument, "Run: \"q:0\" is fed twice"},
  };
  for (const OptLevel level : kLevels) {
    Session session(graph, {.level = level});
    for (const Row& row : rows) {
      const auto [code, message] = Thrown([&] { session.RunAll(row.feeds, {row.fetch}, {}, {}); });
      CHECK(code == row.code);
      CHECK(message == row.message);
    }
    CHECK(Thrown([&] { session.Run({}, "nothing"); }).first == Code::kNotFound);
  }
}

TEST_CASE("identities of real numbers that IEEE arithmetic breaks stay as they are") {
  Graph graph;
  {
    GraphScope scope(graph);
    const Tensor x = Placeholder(kFloat32, {6}, "x");
    Identity(x * 0., "times_zero");
    Identity(x - x, "minus_itself");
    Identity(x / x, "over_itself");
    Identity(x + 0., "plus_zero");
    Identity(x * 1., "times_one");
  }
  const Tensor x = std::vector<float>{1, NAN, INFINITY, -INFINITY, -0.0f, -1};
  Session plain(graph, {.level = OptLevel::kO0});
  for (const OptLevel level : kLevels) {
    Session session(graph, {.level = level});
    for (const char* fetch : {"times_zero", "minus_itself", "over_itself", "plus_zero", "times_one"})
      CHECK(DifferentBits(session.Run({{"x", x}}, fetch), plain.Run({{"x", x}}, fetch)) == "");
  }
  CHECK(plain.Run({{"x", x}}, "times_zero").ToString() == "[ 0. nan nan nan -0. -0.]");
}

TEST_CASE("updates of a variable are neither lost nor merged") {
  const Variable v(0.);
  Graph graph;
  {
    GraphScope scope(graph);
    Tensor read;
    {
      Variable shared = v;
      const Tensor p = shared.AssignAdd(100.), q = shared.AssignAdd(1.);
      ControlDependencies after({p, q});
      read = Identity(shared.Read(), "read");
    }
  }
  Session session(graph);
  for (int i = 1; i <= 10; ++i) CHECK(session.Run({}, "read").item<float>() == 101.0f * static_cast<float>(i));
  CHECK(v.item<float>() == 1010);
}

TEST_CASE("threads run one Session with feeds of their own") {
  Graph graph;
  {
    GraphScope scope(graph);
    const Tensor x = Placeholder(kFloat32, {-1}, "x");
    Identity(Sum(x * x) + 1., "y");
  }
  Session session(graph);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 1; t <= 4; ++t)
    threads.emplace_back([&, t] {
      const Tensor x = std::vector<float>(static_cast<size_t>(t), static_cast<float>(t));
      for (int i = 0; i < 500; ++i) wrong += session.Run({{"x", x}}, "y").item<float>() != static_cast<float>(t * t * t + 1);
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("a Run can be cancelled and can time out; the Session goes on") {
  Graph graph;
  {
    GraphScope scope(graph);
    Tensor x = Placeholder(kFloat32, {512, 512}, "x");
    for (int i = 0; i < 200; ++i) x = MatMul(x, x);
    Identity(x, "y");
  }
  Session session(graph);
  const Tensor x = Zeros({512, 512}, kFloat32);
  RunOptions options;
  options.timeout = std::chrono::milliseconds(1);
  CHECK(Thrown([&] { session.Run({{"x", x}}, {"y"}, {}, options); }).first == Code::kDeadlineExceeded);
  Cancellation cancellation;
  cancellation.Cancel();
  RunOptions cancelled;
  cancelled.cancellation = &cancellation;
  CHECK(Thrown([&] { session.Run({{"x", x}}, {"y"}, {}, cancelled); }).first == Code::kCancelled);
  CHECK(session.Run({{"x", x}}, "y").size() == 512 * 512);
}

TEST_CASE("the cost of a Run depends on what is fetched, and caches are bounded") {
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, Shape{}, "x");
  Session session(graph);
  for (int i = 0; i < 600; ++i) CHECK(session.Run({{x, 1.}}, Neg(x)).item<float>() == -1);
  CHECK(graph.num_nodes() == 601);
  graph.Finalize();
  CHECK(Thrown([&] { Neg(x); }).first == Code::kFailedPrecondition);
}

TEST_CASE("a variable that lived in a Session dies with it") {
  Graph graph;
  {
    GraphScope scope(graph);
    const Variable v(2., {.name = "v"});
    Identity(v.Read(), "read");
  }
  const std::string init = graph.Initializer();
  {
    Session session(graph);
    CHECK(Thrown([&] { session.Run({}, "read"); }).first == Code::kFailedPrecondition);
    session.RunAll({}, {}, {init}, {});
    CHECK(session.Run({}, "read").item<float>() == 2);
  }
  CHECK(Thrown([&] { Session(graph).Run({}, "read"); }).first == Code::kFailedPrecondition);
}

TEST_CASE("a trace says what ran") {
  Graph graph;
  {
    GraphScope scope(graph);
    Identity(Exp(Placeholder(kFloat32, {3}, "x")), "y");
  }
  Session session(graph, {.level = OptLevel::kO0});
  RunTrace trace;
  RunOptions options;
  options.trace = &trace;
  session.Run({{"x", Tensor({1., 2., 3.})}}, {"y"}, {}, options);
  REQUIRE(trace.events.size() == 2);
  CHECK(trace.events[0].node == "Exp");
  CHECK(trace.events[0].output_bytes == 12);
  CHECK(trace.ToChromeTrace().find("\"name\":\"Exp\"") != std::string::npos);
  CHECK(trace.ToRunMetadata().find("Exp = Exp(x:0)") != std::string::npos);
}

TEST_CASE("a warm callable makes no call to the system allocator") {
  Graph graph;
  {
    GraphScope scope(graph);
    const Tensor x = Placeholder(kFloat32, {2, 2}, "x");
    Identity(x + x, "y");
  }
  Session session(graph);
  const Callable callable = session.MakeCallable({"x"}, {"y"});
  const Tensor x = {{1., 2.}, {3., 4.}};
  Tensor y;
  for (int i = 0; i < 10; ++i) callable.Run({&x, 1}, {&y, 1});
  const auto before = GetAllocatorStatistics();
  for (int i = 0; i < 1000; ++i) callable.Run({&x, 1}, {&y, 1});
  const auto after = GetAllocatorStatistics();
  CHECK(after.live_bytes == before.live_bytes);
#if !defined(__SANITIZE_ADDRESS__)
  CHECK(after.system_calls == before.system_calls);
#endif
}

TEST_CASE("what a view states of an open shape holds for the tensor that comes, or fails") {
  Graph graph;
  Tensor x, y;
  {
    GraphScope scope(graph);
    x = Placeholder(kFloat32, {3}, "x");
    y = EnsureShape(Where(x), {1, 1});
  }
  for (OptLevel level : {OptLevel::kO0, OptLevel::kO2}) {
    Session session(graph, {.level = level});
    CHECK(session.Run({{x, {0.f, 5.f, 0.f}}}, y).item<int64_t>() == 1);
    CHECK(Thrown([&] { session.Run({{x, {1.f, 1.f, 0.f}}}, y); }).second == "EnsureShape: input is [2,1], must fit [1,1]; node \"EnsureShape\"");
  }
}

}  // namespace tandem
