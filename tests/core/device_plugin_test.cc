// A plug-in in a shared library of its own, which links nothing of Tandem: opened by name, and through TANDEM_PLUGINS.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "core/device.h"
#include "tandem.h"
#include "tests/temp_file.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

const char* const kPlugin = "tests/libfake_plugin.so";

}  // namespace

TEST_CASE("a process with TANDEM_PLUGINS has the devices of those libraries", "[.plugins]") {
  CHECK(NumGpus() == 1);
  CHECK((Tensor({1., 2.}) + Tensor({3., 4.})).device() == "/job:localhost/replica:0/task:0/device:GPU:0");
}

TEST_CASE("libraries named in the environment are opened when the process starts; what fails is reported") {
  char self[4096] = {};
  REQUIRE(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  const std::string log = TempPath("plugins.log");
  const std::string command = "XML_OUTPUT_FILE= TANDEM_PLUGINS=/nowhere.so:" + std::string(kPlugin) + " '" + self + "' '[.plugins]' > " + log + " 2>&1";
  CHECK(std::system(command.c_str()) == 0);
  CHECK(ReadBytes(log).starts_with("TANDEM_PLUGINS: LoadDevicePlugin: /nowhere.so"));
}

TEST_CASE("a library is opened by name") {
  CHECK(NumGpus() == 0);
  const Tensor x = {{1., 2.}, {3., 4.}};
  const std::string want = MatMul(x, x).ToString();
  CHECK(Thrown([] { LoadDevicePlugin("tests/data/ops.tsv"); }).starts_with("NOT_FOUND LoadDevicePlugin: tests/data/ops.tsv"));
  LoadDevicePlugin(kPlugin);
  CHECK(NumGpus() == 1);
  const Tensor y = MatMul(x.Gpu(), x);
  CHECK(y.device() == "/job:localhost/replica:0/task:0/device:GPU:0");
  CHECK(y.ToString() == want);
}

}  // namespace tandem
