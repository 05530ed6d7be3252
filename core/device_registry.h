// The devices of the process, and what a scope's text means. Internal: core/device.h is for users.
#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/device.h"
#include "core/device_memory.h"
#include "core/device_plugin.h"
#include "core/kernel.h"

namespace tandem {

// One device of a plug-in. Lives as long as the process.
class Device {
 public:
  // Makes the stream and looks the rows' ops up.
  static absl::StatusOr<std::unique_ptr<Device>> Make(const TandemDevice& plugin, int index);

  const std::string& type() const { return type_; }              // "GPU"
  const std::string& name() const { return name_; }              // "/job:localhost/replica:0/task:0/device:GPU:0"
  const std::string& short_name() const { return short_name_; }  // "gpu:0"
  int index() const { return index_; }

  void* Allocate(int64_t bytes);
  void Release(void* block, int64_t bytes);
  absl::Status CopyIn(void* to, const void* from, int64_t bytes);
  absl::Status CopyOut(void* to, const void* from, int64_t bytes);
  absl::Status Synchronize();
  // The row for the op and its dtype; null when there is none.
  const TandemKernelRow* FindKernel(OpId op, const CallSignature& signature) const;
  // Whether the op has a row for any dtype.
  bool Knows(OpId op) const { return static_cast<size_t>(op) < rows_.size() && !rows_[static_cast<size_t>(op)].empty(); }
  // Runs a row. Inputs lie where the row wants them, outputs are allocated where it says.
  absl::Status Run(const TandemKernelRow& row, KernelCall& call);
  DeviceStatistics statistics() const;

 private:
  explicit Device(const TandemDevice& plugin) : plugin_(plugin) {}
  absl::Status Failure(int code, std::string_view what) const;

  const TandemDevice& plugin_;
  std::string type_, name_, short_name_;
  int index_ = 0;
  void* stream_ = nullptr;
  std::vector<std::vector<const TandemKernelRow*>> rows_;  // by op
  std::atomic<int64_t> live_bytes_ = 0, live_blocks_ = 0, peak_bytes_ = 0, copies_in_ = 0, copies_out_ = 0, kernels_ = 0;
};

inline constexpr std::string_view kCpuName = "/job:localhost/replica:0/task:0/device:CPU:0";

// What a device text asks for: nothing, the CPU, a device, or one that is not there.
struct DeviceRequest {
  enum Kind { kNone, kCpu, kDevice, kMissing } kind = kNone;
  Device* device = nullptr;  // kDevice
};
// text is one that IsDeviceName accepts.
DeviceRequest FindDevice(std::string_view text);
// The GPU that ops without a wish go to; null without one.
Device* DefaultGpu();
bool AnyDevices();

// NOT_FOUND: "MatMul: there is no device \"gpu:0\" (there are: cpu:0)".
[[gnu::cold]] absl::Status NoDeviceError(std::string_view who, std::string_view text);
// UNIMPLEMENTED: "Foo: no kernel for float32 on gpu:0".
[[gnu::cold]] absl::Status NoDeviceKernelError(const OpSchema& schema, const CallSignature& signature, const Device& device);

// Opens what TANDEM_PLUGINS names; a failure is reported on std::cerr and the rest goes on.
void LoadDevicePluginsFromEnvironment();

// Whether placement is reported, and the report.
bool LogsDevicePlacement();
void LogPlacement(std::string_view what, const Device* device);

}  // namespace tandem
