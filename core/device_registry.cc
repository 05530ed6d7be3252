#include "core/device_registry.h"

#include <algorithm>
#include <cctype>
#include <deque>
#include <iostream>
#include <mutex>

#include "core/context.h"
#include "core/scopes.h"

namespace tandem {
namespace {

constexpr int kMaxDevices = 64;

struct Registry {
  std::mutex mutex;
  std::atomic<Device*> devices[kMaxDevices] = {};  // in the order of registration; never removed
  std::atomic<int> count = 0;
  std::atomic<bool> soft = true, logs = false;
  std::function<void(const std::string&)> log;
};
Registry& registry() {
  static Registry* r = new Registry;
  return *r;
}

std::string Cased(std::string_view text, int (*change)(int)) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(change(static_cast<unsigned char>(c)));
  return out;
}

// Type (upper case, "" for any) and index (-1 for any) of a device text.
struct Wanted {
  std::string type;
  int index = -1;
  bool named = false;
};
Wanted Parse(std::string_view text) {
  Wanted wanted;
  while (!text.empty()) {
    if (text.front() == '/') text.remove_prefix(1);
    const size_t end = std::min(text.find('/'), text.size());
    std::string_view part = text.substr(0, end);
    text.remove_prefix(end);
    if (part.starts_with("job:") || part.starts_with("replica:") || part.starts_with("task:")) continue;
    if (part.starts_with("device:")) part.remove_prefix(7);
    const size_t colon = std::min(part.find(':'), part.size());
    wanted.named = true;
    wanted.type = part.substr(0, colon) == "*" ? "" : Cased(part.substr(0, colon), std::toupper);
    const std::string index(part.substr(std::min(colon + 1, part.size())));
    wanted.index = index.empty() || index == "*" ? -1 : std::stoi(index);
  }
  return wanted;
}

std::string Known() {
  std::string names = "cpu:0";
  for (int i = 0; i < registry().count.load(std::memory_order_acquire); ++i) absl::StrAppend(&names, ", ", registry().devices[i].load()->short_name());
  return names;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Device>> Device::Make(const TandemDevice& plugin, int index) {
  std::unique_ptr<Device> device(new Device(plugin));
  device->index_ = index;
  device->type_ = plugin.type;
  device->short_name_ = absl::StrCat(Cased(plugin.type, std::tolower), ":", index);
  device->name_ = absl::StrCat("/job:localhost/replica:0/task:0/device:", plugin.type, ":", index);
  device->rows_.resize(NumOps());
  for (int32_t i = 0; i < plugin.num_kernels; ++i) {
    const TandemKernelRow& row = plugin.kernels[i];
    const OpId op = row.op ? FindOp(row.op) : OpId::kInvalid;
    if (op != OpId::kInvalid && row.run) device->rows_[static_cast<size_t>(op)].push_back(&row);
  }
  if (const int code = plugin.create_stream(plugin.self, &device->stream_)) return device->Failure(code, "create_stream");
  return device;
}

absl::Status Device::Failure(int code, std::string_view what) const {
  const char* text = plugin_.last_error ? plugin_.last_error(plugin_.self) : nullptr;
  return absl::Status(static_cast<absl::StatusCode>(code), absl::StrCat(short_name_, ": ", Absl(what), " failed", text ? ": " : "", text ? text : ""));
}

void* Device::Allocate(int64_t bytes) {
  void* block = plugin_.allocate(plugin_.self, static_cast<size_t>(bytes));
  if (!block) return nullptr;
  const int64_t live = live_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  live_blocks_.fetch_add(1, std::memory_order_relaxed);
  int64_t peak = peak_bytes_.load(std::memory_order_relaxed);
  while (live > peak && !peak_bytes_.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
  return block;
}

void Device::Release(void* block, int64_t bytes) {
  plugin_.release(plugin_.self, block, static_cast<size_t>(bytes));
  live_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  live_blocks_.fetch_sub(1, std::memory_order_relaxed);
}

absl::Status Device::CopyIn(void* to, const void* from, int64_t bytes) {
  copies_in_.fetch_add(1, std::memory_order_relaxed);
  const int code = plugin_.copy_in(plugin_.self, stream_, to, from, static_cast<size_t>(bytes));
  return code ? Failure(code, "a copy from the host") : absl::OkStatus();
}
absl::Status Device::CopyOut(void* to, const void* from, int64_t bytes) {
  copies_out_.fetch_add(1, std::memory_order_relaxed);
  const int code = plugin_.copy_out(plugin_.self, stream_, to, from, static_cast<size_t>(bytes));
  return code ? Failure(code, "a copy to the host") : absl::OkStatus();
}
absl::Status Device::Synchronize() {
  const int code = plugin_.synchronize(plugin_.self, stream_);
  return code ? Failure(code, "synchronize") : absl::OkStatus();
}

const TandemKernelRow* Device::FindKernel(OpId op, const CallSignature& signature) const {
  if (!Knows(op)) return nullptr;
  const int attr = GetOp(op).kernel_type_attr();
  const TandemKernelRow* any = nullptr;
  for (const TandemKernelRow* row : rows_[static_cast<size_t>(op)]) {
    if (row->dtype == TANDEM_ANY_DTYPE) any = row;
    else if (attr >= 0 && row->dtype == static_cast<int32_t>(signature.types[attr])) return row;
  }
  return any;
}

DeviceStatistics Device::statistics() const {
  return {live_bytes_.load(), live_blocks_.load(), peak_bytes_.load(), copies_in_.load(), copies_out_.load(), kernels_.load()};
}

DeviceRequest FindDevice(std::string_view text) {
  const Wanted wanted = Parse(text);
  if (!wanted.named || (wanted.type.empty() && wanted.index < 0)) return {};
  if (wanted.type == "CPU") return {wanted.index <= 0 ? DeviceRequest::kCpu : DeviceRequest::kMissing};
  for (int i = 0; i < registry().count.load(std::memory_order_acquire); ++i) {
    Device* device = registry().devices[i].load(std::memory_order_relaxed);
    if ((wanted.type.empty() || device->type() == wanted.type) && (wanted.index < 0 || device->index() == wanted.index))
      return {DeviceRequest::kDevice, device};
  }
  return {DeviceRequest::kMissing};
}

Device* DefaultGpu() {
  if (!AnyDevices()) return nullptr;
  const DeviceRequest gpu = FindDevice("gpu:0");
  return gpu.device;
}

bool AnyDevices() { return registry().count.load(std::memory_order_acquire) > 0; }

absl::Status NoDeviceError(std::string_view who, std::string_view text) {
  return absl::NotFoundError(absl::StrCat(Absl(who), ": there is no device \"", Absl(text), "\" (there are: ", Known(), ")"));
}

absl::Status NoDeviceKernelError(const OpSchema& schema, const CallSignature& signature, const Device& device) {
  const int attr = schema.kernel_type_attr();
  return absl::UnimplementedError(absl::StrCat(schema.name(), ": no kernel", attr < 0 ? "" : " for ",
                                               attr < 0 ? "" : std::string(DTypeName(signature.types[attr])), " on ", device.short_name()));
}

bool LogsDevicePlacement() { return registry().logs.load(std::memory_order_relaxed); }

void LogPlacement(std::string_view what, const Device* device) {
  const std::string line = absl::StrCat(Absl(what), ": ", device ? device->name() : std::string(kCpuName));
  std::function<void(const std::string&)> log;
  {
    std::lock_guard lock(registry().mutex);
    log = registry().log;
  }
  if (log) log(line);
  else std::cerr << line + "\n";
}

int NumGpus() {
  int gpus = 0;
  for (int i = 0; i < registry().count.load(std::memory_order_acquire); ++i) gpus += registry().devices[i].load()->type() == "GPU";
  return gpus;
}

std::vector<std::string> ListDevices() {
  std::vector<std::string> names = {std::string(kCpuName)};
  for (int i = 0; i < registry().count.load(std::memory_order_acquire); ++i) names.push_back(registry().devices[i].load()->name());
  return names;
}

void SetSoftDevicePlacement(bool soft) {
  registry().soft.store(soft, std::memory_order_relaxed);
  if (!soft) UsePlacingContext();
}
bool SoftDevicePlacement() { return registry().soft.load(std::memory_order_relaxed); }

void SetLogDevicePlacement(bool on, std::function<void(const std::string&)> sink) {
  {
    std::lock_guard lock(registry().mutex);
    registry().log = std::move(sink);
  }
  registry().logs.store(on, std::memory_order_relaxed);
  if (on) UsePlacingContext();
}

void RegisterDevice(const TandemDevice& device) {
  if (device.abi != TANDEM_PLUGIN_ABI || device.struct_size != sizeof(TandemDevice))
    ThrowError(InvalidArgument("RegisterDevice: the plug-in has version ", device.abi, " of the interface and a struct of ", device.struct_size,
                               " bytes, this is version ", TANDEM_PLUGIN_ABI, " with ", sizeof(TandemDevice)));
  if (!device.type || !*device.type || std::string_view(device.type) == "CPU" ||
      !IsDeviceName(absl::StrCat("/device:", device.type)))
    ThrowError(InvalidArgument("RegisterDevice: \"", device.type ? device.type : "", "\" is no type for a device; \"GPU\" is"));
  if (!device.allocate || !device.release || !device.create_stream || !device.destroy_stream || !device.synchronize || !device.copy_in ||
      !device.copy_out || (device.num_kernels > 0 && !device.kernels))
    ThrowError(InvalidArgument("RegisterDevice: a function of the ", device.type, " plug-in is missing"));
  Registry& r = registry();
  {
    std::lock_guard lock(r.mutex);
    const int n = r.count.load(std::memory_order_relaxed);
    if (n == kMaxDevices) ThrowError(absl::ResourceExhaustedError(absl::StrCat("RegisterDevice: there are ", n, " devices already")));
    int index = 0;
    for (int i = 0; i < n; ++i) index += r.devices[i].load()->type() == device.type;
    r.devices[n].store(ValueOrThrow(Device::Make(device, index)).release());
    r.count.store(n + 1, std::memory_order_release);
  }
  UsePlacingContext();
}

}  // namespace tandem
