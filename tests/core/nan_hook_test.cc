#include "core/nan_hook.h"

#include <catch2/catch.hpp>

#include "tandem.h"
#include "tests/compare.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

std::string Line(int line) { return " at nan_hook_test.cc:" + std::to_string(line); }

}  // namespace

TEST_CASE("the first op with a bad result is named with its line") {
  const Tensor x = {1., 0., -1.};
  NanHook hook;
  CHECK_FALSE(hook.found());
  const int line = __LINE__ + 1;
  CHECK(Thrown([&] { Log(x); }) == "INVALID_ARGUMENT NanHook: Log gave -inf" + Line(line) + ": element 1 of float32[3]");
  CHECK(hook.found());
  const Tensor bad = {1., std::numeric_limits<double>::quiet_NaN()};
  const int second = __LINE__ + 1;
  CHECK(Thrown([&] { bad * 2; }) == "INVALID_ARGUMENT NanHook: Mul gave nan" + Line(second) + ": element 1 of float32[2]; its input 0 has nan already");
  CHECK(Sum(x * 2).item<float>() == 0.f);
}

TEST_CASE("infinities may be let through, a report goes on and is made once") {
  const Tensor zero = 0.;
  NanHook hook({.infinities = false});
  CHECK(IsInf(1 / zero).item<bool>());
  CHECK_THAT(Thrown([&] { zero / zero; }), Catch::StartsWith("INVALID_ARGUMENT NanHook: RealDiv gave nan"));
  std::vector<NanReport> reports;
  {
    NanHook quiet({.report = [&](const NanReport& r) { reports.push_back(r); }});
    Log(zero) + 1;
  }
  REQUIRE(reports.size() == 1);
  CHECK(reports[0].op == "Log");
  CHECK(reports[0].node == "");
  CHECK_THAT(reports[0].where, Catch::StartsWith("nan_hook_test.cc:"));
  CHECK_THAT(reports[0].message, Catch::StartsWith("NanHook: Log gave -inf"));
}

TEST_CASE("a gradient's bad result names the forward op") {
  const Tensor x = {4., 0.};
  NanHook hook;
  GradientTape tape;
  tape.Watch(x);
  const int line = __LINE__ + 1;
  const Tensor y = Sqrt(x);
  const std::string text = Thrown([&] { tape.Gradient(y, x); });
  INFO(text);
  CHECK_THAT(text, Catch::Contains(" gave inf in the gradient of Sqrt" + Line(line) + ": element 1 of float32[2]"));
}

TEST_CASE("tapes outside a hook go on recording") {
  const Tensor x = 3.;
  GradientTape tape;
  tape.Watch(x);
  Tensor y;
  {
    NanHook hook;
    y = x * x;
  }
  CHECK(tape.Gradient(y, x).item<float>() == 6.f);
}

TEST_CASE("a Session's Run names the user's node, fused or not") {
  Graph graph;
  int line;
  {
    GraphScope scope(graph);
    const Tensor x = Placeholder(kFloat32, {3}, "x");
    const Tensor h = x * 2 + 1;
    line = __LINE__ + 1;
    const Tensor l = Log(h);
    Identity(Exp(l) * 3 - h, "y");
  }
  Session session(graph);
  const Tensor good = {1., 2., 3.}, bad = {1., 2., -1.};
  const Tensor before = session.Run({{"x", good}}, "y");
  Callable call = session.MakeCallable({"x"}, {"y"});
  {
    NanHook hook;
    CHECK(DifferentBits(session.Run({{"x", good}}, "y"), before) == "");
    const std::string want = "INVALID_ARGUMENT NanHook: Log gave nan" + Line(line) + ": element 2 of float32[3]; node \"Log\"";
    CHECK(Thrown([&] { session.Run({{"x", bad}}, "y"); }) == want);
    CHECK(Thrown([&] { call({bad}); }) == want);
    CHECK_THAT(Thrown([&] { session.Run({{"x", Tensor({1., 2., std::numeric_limits<double>::infinity()})}}, "y"); }),
               Catch::Contains("; its input 0 has inf already; node \"Mul\""));
  }
  CHECK(IsNan(session.Run({{"x", bad}}, "y"))[2].item<bool>());
}

TEST_CASE("a bad gradient in a graph names the forward line") {
  Graph graph;
  int line;
  Tensor g;
  {
    GraphScope scope(graph);
    const Tensor x = Placeholder(kFloat32, Shape{}, "x");
    line = __LINE__ + 1;
    const Tensor y = Sqrt(x);
    g = Gradients(y, x);
  }
  NanHook hook;
  const std::string text = Thrown([&] { Session(graph).Run({{"x", 0.}}, g); });
  INFO(text);
  CHECK_THAT(text, Catch::Contains(Line(line)));
  CHECK_THAT(text, Catch::Contains("node \"gradients/"));
}

}  // namespace tandem
