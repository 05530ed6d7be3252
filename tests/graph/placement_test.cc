// Devices in Sessions, on the fake accelerator: nodes run where they are asked to, copies stand between, bits stay.
#include "graph/placement.h"

#include <catch2/catch.hpp>

#include "core/device.h"
#include "core/random_seed.h"
#include "tandem.h"
#include "tests/compare.h"
#include "tests/fake_device.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

const OptLevel kLevels[] = {OptLevel::kO0, OptLevel::kO1, OptLevel::kO2};
const std::string kCpu = "/job:localhost/replica:0/task:0/device:CPU:0", kGpu = "/job:localhost/replica:0/task:0/device:GPU:0";

// A layer, then elementwise ops that a loop would take, a view and a reduction; the first half on `first`.
Graph Network(const char* first, const char* second, const Shape& shape) {
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, shape, "x");
  Tensor h;
  {
    DeviceScope device(first);
    h = Relu(BiasAdd(MatMul(x, Tensor({{1., -2., 0.5}, {0.25, 3., -1.}})), Tensor({0.1, 0.2, 0.3})));
  }
  DeviceScope device(second);
  const Tensor wide = Exp(Neg(h * h)) + Cos(h);
  Identity(Sum(Reshape(wide, {-1}), 0), "total");
  Identity(Transpose(wide), "turned");
  return graph;
}

}  // namespace

TEST_CASE("bits do not depend on where nodes run") {
  const Tensor x = {{1., 2.}, {-3., 0.5}, {0.1, -0.7}};
  const Tensors want = Session(Network("", "", {-1, 2})).Run({{"x", x}}, {"total", "turned"});
  FakeGpu gpu;
  for (const char* first : {"", "cpu:0", "gpu:0", "gpu:9"})
    for (const char* second : {"", "cpu:0", "gpu:0"})
      for (const Shape& shape : {Shape{-1, 2}, Shape{3, 2}, Shape::Unknown()})
        for (const OptLevel level : kLevels) {
          INFO("\"" << first << "\", \"" << second << "\", " << shape.ToString() << ", O" << static_cast<int>(level));
          Session session(Network(first, second, shape), {.level = level});
          const auto before = GetDeviceStatistics("gpu:0");
          for (int run = 0; run < 2; ++run) {
            const Tensors got = session.Run({{"x", run ? x.Gpu() : x}}, {"total", "turned"});
            for (size_t i = 0; i < want.size(); ++i) {
              CHECK(got[i].device() == kCpu);
              CHECK(DifferentBits(got[i], want[i]) == "");
            }
          }
          const auto after = GetDeviceStatistics("gpu:0");
          const bool expected = std::string(first) != "cpu:0" || std::string(second) != "cpu:0";
          CHECK((after.kernels > before.kernels) == (expected && !(std::string(first) == "gpu:9" && std::string(second) == "cpu:0")));
        }
}

TEST_CASE("nothing of a Session stays on the device") {
  FakeGpu gpu;
  const int64_t before = GetDeviceStatistics("gpu:0").live_bytes;
  {
    Session session(Network("gpu:0", "gpu:0", {-1, 2}));
    session.Run({{"x", Tensor({{1., 2.}})}}, "total");
    CHECK(Thrown([&] { session.Run({{"x", Tensor({1., 2.})}}, "total"); }) != "no error");
  }
  CHECK(GetDeviceStatistics("gpu:0").live_bytes == before);
}

TEST_CASE("a copy is made once for all its readers") {
  FakeGpu gpu;
  Graph graph;
  {
    GraphScope scope(graph);
    const Tensor x = Placeholder(kFloat32, {4}, "x");
    DeviceScope device("gpu:0");
    Identity((x + 1.) * (x - 2.) * x, "y");
  }
  Session session(graph, {.level = OptLevel::kO0});
  const Tensor x = {1., 2., 3., 4.};
  session.Run({{"x", x}}, "y");
  const auto before = GetDeviceStatistics("gpu:0");
  CHECK(session.Run({{"x", x}}, "y").ToVector<float>() == std::vector<float>{-2, 0, 12, 40});
  const auto after = GetDeviceStatistics("gpu:0");
  CHECK(after.copies_in - before.copies_in == 1);
  CHECK(after.copies_out - before.copies_out == 1);
  CHECK(after.kernels - before.kernels == 4);
}

TEST_CASE("without soft placement a node whose device cannot run it is an error that names it") {
  FakeGpu gpu;
  Graph graph;
  {
    GraphScope scope(graph);
    const Tensor x = Placeholder(kFloat32, {2}, "x");
    {
      DeviceScope device("gpu:0");
      Identity(Cos(x), "no_kernel");
      Identity(Exp(x), "fine");
    }
    DeviceScope device("/device:GPU:5");
    Identity(Exp(x), "missing");
  }
  Session strict(graph, {.allow_soft_placement = false});
  const Tensor x = {1., 2.};
  CHECK(Thrown([&] { strict.Run({{"x", x}}, "no_kernel"); }) == "UNIMPLEMENTED Cos: no kernel for float32 on gpu:0; node \"Cos\"");
  CHECK(Thrown([&] { strict.Run({{"x", x}}, "missing"); }) ==
        "NOT_FOUND Exp: there is no device \"/device:GPU:5\" (there are: cpu:0, gpu:0); node \"Exp_1\"");
  const Tensor want = Session(graph).Run({{"x", x}}, "missing");  // falls back
  CHECK(DifferentBits(strict.Run({{"x", x}}, "fine"), want) == "");
}

TEST_CASE("variables of a graph live where they were put, captured ones where they are") {
  FakeGpu gpu;
  const int64_t before = GetDeviceStatistics("gpu:0").live_bytes;
  Graph graph;
  Variable eager;
  {
    DeviceScope device("gpu:0");
    eager = Variable({10., 20.});
  }
  {
    GraphScope scope(graph);
    DeviceScope cpu("cpu:0");
    Variable v;
    {
      DeviceScope device("gpu:0");
      v = Variable(Tensor({1., 2.}), {.name = "v"});
    }
    Identity(v.AssignAdd(eager) + eager, "y");
    Identity(v, "value");
  }
  for (const OptLevel level : kLevels) {
    Session session(graph, {.level = level});
    session.Run({}, std::vector<TensorName>{}, {TensorName(graph.Initializer())});
    CHECK(session.Run({}, "value").ToVector<float>() == std::vector<float>{1, 2});
    CHECK(session.Run({}, "y").ToVector<float>() == std::vector<float>{21, 42});
    CHECK(session.Run({}, "value").ToVector<float>() == std::vector<float>{11, 22});
    CHECK(GetDeviceStatistics("gpu:0").live_bytes == before + 24);  // both variables, and the plan's copy of the initial value
  }
  CHECK(GetDeviceStatistics("gpu:0").live_bytes == before + 8);
  eager = Variable();
}

TEST_CASE("x.Gpu() in a graph is a node placed there") {
  FakeGpu gpu;
  Graph graph;
  Tensor y;
  {
    GraphScope scope(graph);
    const Tensor x = Placeholder(kFloat32, {2}, "x");
    const Tensor there = x.Gpu();
    CHECK(there.device() == "gpu:0");
    CHECK(x.device() == "");
    y = Identity(Exp(there.Cpu()), "y");
    CHECK(Gradients(y, x).defined());
  }
  const auto before = GetDeviceStatistics("gpu:0");
  Session(graph).Run({{"x", Tensor({1., 2.})}}, "y");
  CHECK(GetDeviceStatistics("gpu:0").copies_in > before.copies_in);
}

}  // namespace tandem
