// What TensorFlow says of single ops, once more with the fake accelerator there: ops that it has run on it, others fall
// back, copies in between. Values, codes and errors must not change.
#include <catch2/catch.hpp>

#include "core/device.h"
#include "core/op.h"
#include "tests/fake_device.h"
#include "tests/opcases.h"

namespace tandem {

TEST_CASE("ops give what TensorFlow gives, on a device") {
  FakeGpu gpu;
  const std::string folder = "tests/data/opcases";
  int checked = 0;
  for (const std::string& op : GoldenOps(folder)) {
    for (const GoldenCase& c : LoadGoldenCases(folder, op)) {
      // Random ops made again give the next numbers.
      if (!c.supported() || GetOp(FindOp(op)).has(kRandom)) continue;
      ++checked;
      for (const GoldenMode& mode : GoldenModes()) {
        INFO(c.title() << ", " << mode.name);
        CHECK(CheckGoldenCase(c, mode) == "");
      }
    }
  }
  CHECK(checked > 0);
  CHECK(GetDeviceStatistics("gpu:0").kernels > checked / 10);  // it did run there
  CHECK(GetDeviceStatistics("gpu:0").live_bytes == 0);
}

}  // namespace tandem
