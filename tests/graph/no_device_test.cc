// Devices asked for where there is none: the CPU runs everything, or, without soft placement, an error lists what there
// is.
#include <catch2/catch.hpp>

#include "core/device.h"
#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

const std::string kCpu = "/job:localhost/replica:0/task:0/device:CPU:0";

struct Row {
  const char* device;
  bool missing;
};
const Row kRows[] = {{"", false}, {"/cpu:0", false}, {"cpu:0", false}, {"/job:localhost/replica:0/task:0/device:CPU:0", false},
                     {"/device:*", false}, {"/cpu:7", true}, {"/gpu:0", true}, {"/device:gpu:0", true},
                     {"/job:localhost/replica:0/task:0/device:GPU:0", true}, {"/device:TPU:0", true}};

Graph OnDevice(const char* device) {
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, {2}, "x");
  DeviceScope on(device);
  Exp(x);
  return graph;
}

}  // namespace

TEST_CASE("a Session runs on the CPU what asks for a device that is not there, unless told not to") {
  const Tensor x = {1., 2.};
  const std::string want = Session(OnDevice("")).Run({{"x", x}}, "Exp").ToString();
  for (const Row& row : kRows) {
    INFO(row.device);
    const Graph graph = OnDevice(row.device);
    CHECK(Session(graph).Run({{"x", x}}, "Exp").ToString() == want);
    const std::string error = Thrown([&] { Session(graph, {.allow_soft_placement = false}).Run({{"x", x}}, "Exp"); });
    CHECK(error == (row.missing ? "NOT_FOUND Exp: there is no device \"" + std::string(row.device) + "\" (there are: cpu:0); node \"Exp\"" : "no error"));
  }
}

TEST_CASE("eager ops do the same") {
  const Tensor x = {1., 2.};
  CHECK(NumGpus() == 0);
  CHECK(ListDevices() == std::vector<std::string>{kCpu});
  CHECK(Thrown([&] { x.Gpu(); }) == "NOT_FOUND Gpu: there is no device \"gpu:0\" (there are: cpu:0)");
  CHECK(x.Cpu().device() == kCpu);
  for (const Row& row : kRows) {
    INFO(row.device);
    DeviceScope scope(row.device);
    CHECK(Exp(x).device() == kCpu);
    SetSoftDevicePlacement(false);
    const std::string error = Thrown([&] { Exp(x); });
    SetSoftDevicePlacement(true);
    CHECK(error == (row.missing ? "NOT_FOUND Exp: there is no device \"" + std::string(row.device) + "\" (there are: cpu:0)" : "no error"));
  }
  CHECK(Thrown([] { DeviceScope scope("banana"); }) == "INVALID_ARGUMENT DeviceScope: \"banana\" names no device; \"/cpu:0\" does");
}

TEST_CASE("placement is reported without devices too") {
  std::vector<std::string> lines;
  SetLogDevicePlacement(true, [&](const std::string& line) { lines.push_back(line); });
  const Tensor x = {1., 2.};
  Exp(x);
  Session(OnDevice("/gpu:0"), {.log_device_placement = true}).Run({{"x", x}}, "Exp");
  SetLogDevicePlacement(false);
  Exp(x);
  CHECK(lines == std::vector<std::string>{"Exp: " + kCpu, "x: (Placeholder): " + kCpu, "Exp: (Exp): " + kCpu});
}

}  // namespace tandem
