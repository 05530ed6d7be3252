// An accelerator without hardware, for tests: memory of its own that faults on host access outside its kernels and
// copies, which run the CPU's kernels inside. It speaks the plug-in interface alone (core/device_plugin.h).
//
//   FakeGpu gpu;                    // registers gpu:0 at the first call of the process
//   x.Gpu().rep()->data;            // reading it is a segmentation fault
#pragma once
#include <cstdint>

#include "core/device_plugin.h"

namespace tandem {

// Registers it once through host; gives what register_device gave.
int RegisterFakeGpu(const TandemHost* host);

// In tests that link the library.
class FakeGpu {
 public:
  FakeGpu();
  // Allocations fail beyond so many bytes in use; negative: no limit.
  static void SetMemoryLimit(int64_t bytes);
  // The next copy fails.
  static void FailNextCopy();
  // Streams made so far: one for the device.
  static int streams();
};

}  // namespace tandem
