// Devices, on the fake accelerator: placement, copies, what the host sees, memory, errors. Its memory faults on host
// access, so a forgotten copy ends the test.
#include "core/device.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <sstream>
#include <thread>

#include "core/device_memory.h"
#include "core/device_registry.h"
#include "core/variable_storage.h"
#include "tandem.h"
#include "tests/compare.h"
#include "tests/fake_device.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

const std::string kCpu = "/job:localhost/replica:0/task:0/device:CPU:0", kGpu = "/job:localhost/replica:0/task:0/device:GPU:0";

Tensor Matrix() { return {{1., -2.}, {3., 4.}}; }
DeviceStatistics Gpu() { return GetDeviceStatistics("gpu:0"); }

// Placement is of the process: what a test changes is put back.
struct Policy {
  ~Policy() {
    SetSoftDevicePlacement(true);
    SetLogDevicePlacement(false);
    FakeGpu::SetMemoryLimit(-1);
  }
};

}  // namespace

TEST_CASE("the fake accelerator is gpu:0, with one stream") {
  FakeGpu gpu;
  CHECK(NumGpus() == 1);
  CHECK(ListDevices() == std::vector<std::string>{kCpu, kGpu});
  CHECK(FakeGpu::streams() == 1);
  SynchronizeDevice("/device:GPU:0");
  CHECK(Thrown([] { GetDeviceStatistics("gpu:1"); }) == "NOT_FOUND GetDeviceStatistics: there is no device \"gpu:1\" (there are: cpu:0, gpu:0)");
  CHECK(Thrown([] { GetDeviceStatistics("banana"); }) == "INVALID_ARGUMENT GetDeviceStatistics: \"banana\" names no device; \"/cpu:0\" does");
}

TEST_CASE("its memory is out of the host's reach") {
  FakeGpu gpu;
  const Tensor x = Matrix().Gpu();
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    std::signal(SIGBUS, SIG_DFL);
    const volatile float value = *x.rep()->as<float>();
    _exit(value == 0 ? 1 : 2);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(!(WIFEXITED(status) && WEXITSTATUS(status) <= 2));
}

TEST_CASE("the host sees a copy of a device's tensor wherever it looks") {
  FakeGpu gpu;
  const Tensor x = Matrix(), there = x.Gpu();
  CHECK(x.device() == kCpu);
  CHECK(there.device() == kGpu);
  CHECK(there.Gpu().rep() == there.rep());  // it is there already
  CHECK(there.Cpu().device() == kCpu);
  CHECK(DifferentBits(there.Cpu(), x) == "");
  CHECK(there.ToString() == x.ToString());
  CHECK(there.ToVector<double>() == x.ToVector<double>());
  CHECK(Tensor(7.).Gpu().item<int>() == 7);
  CHECK(static_cast<bool>(Tensor(true).Gpu()));
  const auto elements = there.data<float>(), again = there.data<float>();
  CHECK(elements[3] == 4);
  CHECK(elements.data() == again.data());  // one copy
  std::ostringstream npy, of_host;
  WriteNpy(npy, there);
  WriteNpy(of_host, x);
  CHECK(npy.str() == of_host.str());
  CHECK(DifferentBits(FromDLPack(ToDLPack(there)), x) == "");
  // Views share the device's block.
  const int64_t blocks = Gpu().live_blocks;
  const Tensor flat = Reshape(there, {4}), wide = ExpandDims(flat, 0);
  CHECK(flat.device() == kGpu);
  CHECK(Gpu().live_blocks == blocks);
  CHECK(wide.data<float>()[1] == -2);
  CHECK(there[1].ToVector<float>() == std::vector<float>{3, 4});
  CHECK(Zeros({2, 0}, kFloat32).Gpu().shape() == Shape{2, 0});
  CHECK(Tensor({std::string("text")}).Gpu().device() == kCpu);  // strings stay
}

TEST_CASE("an op goes where its scope, else its inputs say, else to the GPU when it has the kernel") {
  FakeGpu gpu;
  const Tensor x = Matrix(), there = x.Gpu(), i = {1, 2};
  struct Row {
    const char* scope;
    std::function<Tensor()> op;
    const std::string& device;
  };
  const Row rows[] = {
      {"gpu:0", [&] { return x + x; }, kGpu},
      {"/device:gpu:0", [&] { return MatMul(x, there); }, kGpu},
      {"/job:localhost/replica:0/task:0/device:GPU:0", [&] { return x + 1; }, kGpu},
      {"cpu:0", [&] { return x + x; }, kCpu},
      {"cpu:0", [&] { return there + there; }, kCpu},
      {"", [&] { return there + there; }, kGpu},
      {"", [&] { return x + there; }, kGpu},
      {"", [&] { return x + x; }, kGpu},        // there is a GPU
      {"", [&] { return i + i; }, kCpu},        // small integers stay
      {"gpu:0", [&] { return i + i; }, kGpu},
      {"", [&] { return Cos(there); }, kCpu},   // it has no kernel
      {"gpu:0", [&] { return Cos(x); }, kCpu},
      {"gpu:7", [&] { return x + x; }, kCpu},   // missing
      {"", [&] { return ShapeOf(there); }, kCpu},
      {"", [&] { return Reshape(there, Tensor({4}).Gpu()); }, kGpu},
      {"", [&] { return Sum(there, Tensor({0}).Gpu()); }, kGpu},
      {"gpu:0", [&] { return Identity(x); }, kGpu},
      {"cpu:0", [&] { return Identity(there); }, kCpu},
      {"gpu:0", [&] { return Constant(x); }, kGpu},
      {"gpu:0", [&] { return Fill({3}, 2.); }, kGpu},
      {"gpu:0", [&] { return RandomUniform({3}); }, kGpu},
      {"", [&] { return RandomUniform({3}); }, kGpu},
      {"", [&] { return Where(Greater(there, 0)); }, kCpu},
  };
  int row = 0;
  for (const Row& r : rows) {
    INFO("row " << row++ << ", scope \"" << r.scope << "\"");
    DeviceScope scope(r.scope);
    CHECK(r.op().device() == r.device);
  }
  {
    DeviceScope outer("gpu:0");
    DeviceScope inner("cpu:0");
    CHECK((x + x).device() == kCpu);
  }
}

TEST_CASE("without soft placement a missing device and a missing kernel are errors") {
  FakeGpu gpu;
  const Policy policy;
  SetSoftDevicePlacement(false);
  const Tensor x = Matrix();
  {
    DeviceScope scope("gpu:3");
    CHECK(Thrown([&] { x + x; }) == "NOT_FOUND AddV2: there is no device \"gpu:3\" (there are: cpu:0, gpu:0)");
    CHECK(Thrown([&] { Identity(x); }) == "NOT_FOUND Identity: there is no device \"gpu:3\" (there are: cpu:0, gpu:0)");
  }
  DeviceScope scope("gpu:0");
  CHECK(Thrown([&] { Cos(x); }) == "UNIMPLEMENTED Cos: no kernel for float32 on gpu:0");
  CHECK((x + x).device() == kGpu);
  CHECK(Thrown([&] { x.Gpu(2); }) == "NOT_FOUND Gpu: there is no device \"gpu:2\" (there are: cpu:0, gpu:0)");
  CHECK(Thrown([&] { x.Gpu(-1); }) == "INVALID_ARGUMENT Gpu: index is -1, must be 0 or more");
}

TEST_CASE("errors of inference and of kernels are the CPU's") {
  FakeGpu gpu;
  const Tensor a = Zeros({2, 3}, kFloat32).Gpu(), b = Zeros({4, 5}, kFloat32);
  CHECK(Thrown([&] { MatMul(a, b); }) == "INVALID_ARGUMENT MatMul: inner dimensions differ: a is [2,3] (dim 1 = 3), b is [4,5] (dim 0 = 4)");
  const Tensor bad = Tensor({9});
  std::string on_cpu;
  {
    DeviceScope cpu("cpu:0");
    on_cpu = Thrown([&] { Gather(b, bad); });
  }
  CHECK(Thrown([&] { Gather(b.Gpu(), bad); }) == on_cpu);
  CHECK(on_cpu != "no error");
}

TEST_CASE("placement is reported") {
  FakeGpu gpu;
  const Policy policy;
  std::vector<std::string> lines;
  SetLogDevicePlacement(true, [&](const std::string& line) { lines.push_back(line); });
  const Tensor x = Matrix();
  {
    DeviceScope scope("gpu:0");
    Cos(x * x);
  }
  CHECK(lines == std::vector<std::string>{"Mul: " + kGpu, "Cos: " + kCpu});
  lines.clear();
  Graph graph;
  {
    GraphScope scope(graph);
    const Tensor p = Placeholder(kFloat32, {2, 2}, "p");
    DeviceScope on_gpu("gpu:0");
    Identity(MatMul(p, p), "y");
  }
  Session(graph, {.log_device_placement = true}).Run({{"p", x}}, "y");
  CHECK(lines == std::vector<std::string>{"p: (Placeholder): " + kCpu, "MatMul: (MatMul): " + kGpu, "y: (Identity): " + kGpu});
}

TEST_CASE("tapes follow tensors from device to device") {
  FakeGpu gpu;
  const Tensor x = Matrix();
  GradientTape tape;
  tape.Watch(x);
  const Tensor there = x.Gpu();
  Tensor y;
  {
    DeviceScope scope("gpu:0");
    y = MatMul(there, there) * x;
  }
  const Tensor loss = Sum(Cos(y.Cpu()));
  const Tensor dx = tape.Gradient(loss, x);
  DeviceScope cpu("cpu:0");
  GradientTape again;
  again.Watch(x);
  const Tensor on_cpu = Sum(Cos(MatMul(x, x) * x));
  CHECK(DifferentBits(dx, again.Gradient(on_cpu, x)) == "");
}

TEST_CASE("a variable lives on a device as long as its last handle") {
  FakeGpu gpu;
  const int64_t before = Gpu().live_bytes, variables = VariableStorage::live();
  {
    DeviceScope scope("gpu:0");
    Variable v(RandomNormal({100, 100}));
    CHECK(Gpu().live_bytes - before == 40000);
    CHECK(v.Read().device() == kGpu);
    const Variable copy = v;
    v = Variable();
    CHECK(Gpu().live_bytes - before == 40000);
    CHECK(copy.Read().device() == kGpu);
  }
  CHECK(Gpu().live_bytes == before);
  CHECK(VariableStorage::live() == variables);
}

TEST_CASE("updates of a variable on a device stay there, and what was read stays what it was") {
  FakeGpu gpu;
  DeviceScope cpu("cpu:0");
  Variable v;
  {
    DeviceScope scope("gpu:0");
    v = Variable({1., 2.});
  }
  const Tensor read = v.Read();
  v.AssignAdd({1., 1.});        // ops of the CPU
  v.AssignSub({0.5, 0.5});
  CHECK(v.Read().device() == kGpu);
  CHECK(v.Read().ToVector<float>() == std::vector<float>{1.5, 2.5});
  v.Assign({7., 8.});           // a value of the host
  CHECK(v.Read().device() == kGpu);
  CHECK(read.ToVector<float>() == std::vector<float>{1, 2});
  Variable w({1., 2.});
  w.Assign(Tensor({3., 4.}).Gpu());  // a variable of the host takes a device's value in
  CHECK(w.Read().device() == kCpu);
  CHECK(w.Read().ToVector<float>() == std::vector<float>{3, 4});
  GradientTape tape;
  CHECK(tape.Gradient(Sum(v * v), v).ToVector<float>() == std::vector<float>{14, 16});
}

TEST_CASE("memory that the device does not have is an error, and nothing is lost") {
  FakeGpu gpu;
  const Policy policy;
  const Tensor x = Zeros({1000}, kFloat32).Cpu(), y = x.Gpu();
  const int64_t before = Gpu().live_bytes;
  FakeGpu::SetMemoryLimit(0);
  CHECK(Thrown([&] { y + y; }) == "RESOURCE_EXHAUSTED AddV2: float32[1000] needs 4000 bytes, more than can be had");
  CHECK(Thrown([&] { x.Gpu(); }) == "RESOURCE_EXHAUSTED copy to gpu:0: float32[1000] needs 4000 bytes, more than can be had");
  FakeGpu::SetMemoryLimit(-1);
  FakeGpu::FailNextCopy();
  CHECK(Thrown([&] { x.Gpu(); }) == "INTERNAL gpu:0: a copy from the host failed");
  CHECK(Gpu().live_bytes == before);
  CHECK(DifferentBits(y + y, x) == "");
}

TEST_CASE("threads may use one device at once") {
  FakeGpu gpu;
  const Tensor x = Matrix().Gpu();
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) wrong += (x + x).ToVector<float>()[3] != 8 || x.data<float>()[1] != -2;
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("a plug-in of another version, without a type or with a function missing is refused") {
  FakeGpu gpu;
  TandemDevice device = {};
  CHECK(Thrown([&] { RegisterDevice(device); }).starts_with("INVALID_ARGUMENT RegisterDevice: the plug-in has version 0 of the interface"));
  device.abi = TANDEM_PLUGIN_ABI;
  device.struct_size = sizeof device;
  CHECK(Thrown([&] { RegisterDevice(device); }) == "INVALID_ARGUMENT RegisterDevice: \"\" is no type for a device; \"GPU\" is");
  device.type = "CPU";
  CHECK(Thrown([&] { RegisterDevice(device); }) == "INVALID_ARGUMENT RegisterDevice: \"CPU\" is no type for a device; \"GPU\" is");
  device.type = "TPU";
  CHECK(Thrown([&] { RegisterDevice(device); }) == "INVALID_ARGUMENT RegisterDevice: a function of the TPU plug-in is missing");
  CHECK(Thrown([] { LoadDevicePlugin("/nowhere/plugin.so"); }).starts_with("NOT_FOUND LoadDevicePlugin: /nowhere/plugin.so"));
  CHECK(NumGpus() == 1);
}

}  // namespace tandem
