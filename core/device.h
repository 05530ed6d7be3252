// Devices beside the CPU. They come from plug-ins (core/device_plugin.h); a process without one never asks about them.
//
//   if (NumGpus() > 0) {
//     DeviceScope gpu("gpu:0");                   // core/scopes.h: ops inside run there, copies inserted
//     Tensor y = MatMul(x, x);
//     std::cout << y.device();                    // /job:localhost/replica:0/task:0/device:GPU:0
//   }
//   Tensor on_gpu = x.Gpu(), back = on_gpu.Cpu();
//
// Placement of an op: the scope's device (in a graph, the node's); else that of its inputs; else a GPU, when one is there
// and has the kernel. Small integer tensors (shapes, indices) stay with the CPU unless the op reads others. Soft
// placement: where the device is missing or lacks the kernel, the CPU runs the op.
//
// Threads: everything may be called from any thread.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/export.h"

struct TandemDevice;
struct TandemHost;

TANDEM_EXPORT_BEGIN
namespace tandem {

// Devices of type GPU.
int NumGpus();
// Full names, the CPU's first: "/job:localhost/replica:0/task:0/device:CPU:0".
std::vector<std::string> ListDevices();

struct DeviceStatistics {
  int64_t live_bytes = 0;   // of tensors in the device's memory
  int64_t live_blocks = 0;
  int64_t peak_bytes = 0;
  int64_t copies_in = 0, copies_out = 0;  // from and to the host
  int64_t kernels = 0;      // run so far
};
// By any name that DeviceScope takes. NOT_FOUND when there is no such device; the CPU's are core/allocator.h's.
DeviceStatistics GetDeviceStatistics(std::string_view device);
// Returns when everything given to the device so far is done.
void SynchronizeDevice(std::string_view device);

// Whether eager ops fall back to the CPU (they do unless switched off): otherwise UNIMPLEMENTED when the device has no
// kernel, NOT_FOUND when it is missing. Sessions have an option of their own.
void SetSoftDevicePlacement(bool soft);
bool SoftDevicePlacement();
// Reports each eager op and its device: "MatMul: /job:localhost/replica:0/task:0/device:GPU:0", a line on std::cerr or a call of sink,
// from the thread that runs the op. Sessions with log_device_placement report their nodes there.
void SetLogDevicePlacement(bool on, std::function<void(const std::string& line)> sink = {});

// Opens a plug-in's shared library and calls its TandemPluginInit. NOT_FOUND when it cannot be opened or lacks the
// function, and what that function returns. The libraries named in TANDEM_PLUGINS (separated by colons) are opened
// when the library is loaded; what fails then is reported on std::cerr.
void LoadDevicePlugin(const std::string& path);
// The same for a device in this process. INVALID_ARGUMENT for another version of the interface or a missing function.
void RegisterDevice(const TandemDevice& device);
const TandemHost& DevicePluginHost();

}  // namespace tandem
TANDEM_EXPORT_END
