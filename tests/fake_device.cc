#include "tests/fake_device.h"

#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

namespace tandem {
namespace {

constexpr int kResourceExhausted = 8, kInternal = 13;
constexpr size_t kPage = 4096;

const TandemHost* fake_host = nullptr;
std::atomic<int64_t> limit = -1, in_use = 0;
std::atomic<int> num_streams = 0;
std::atomic<bool> fail_copy = false;

// The blocks, each of whole pages that nobody may touch. Kernels and copies open those they use; several may at once.
class Memory {
 public:
  void* Allocate(size_t bytes) {
    const size_t pages = (bytes + kPage - 1) / kPage * kPage;
    if (limit >= 0 && in_use + static_cast<int64_t>(pages) > limit) return nullptr;
    void* base = mmap(nullptr, pages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return nullptr;
    in_use += static_cast<int64_t>(pages);
    std::lock_guard lock(mutex_);
    blocks_[static_cast<char*>(base)] = {pages, 0};
    return base;
  }
  void Release(void* base) {
    std::lock_guard lock(mutex_);
    const auto it = blocks_.find(static_cast<char*>(base));
    in_use -= static_cast<int64_t>(it->second.bytes);
    munmap(base, it->second.bytes);
    blocks_.erase(it);
  }
  // Whether p lies in a block; it may be touched until Close.
  bool Open(const void* p) { return Change(p, 1); }
  void Close(const void* p) { Change(p, -1); }

 private:
  struct Block {
    size_t bytes;
    int open;
  };
  bool Change(const void* p, int by) {
    std::lock_guard lock(mutex_);
    auto it = blocks_.upper_bound(static_cast<const char*>(p));
    if (it == blocks_.begin()) return false;
    --it;
    if (static_cast<const char*>(p) >= it->first + it->second.bytes) return false;
    const int before = it->second.open;
    it->second.open += by;
    if (before == 0) mprotect(const_cast<char*>(it->first), it->second.bytes, PROT_READ | PROT_WRITE);
    if (it->second.open == 0) mprotect(const_cast<char*>(it->first), it->second.bytes, PROT_NONE);
    return true;
  }
  std::mutex mutex_;
  std::map<const char*, Block> blocks_;
};
Memory& memory() {
  static Memory* m = new Memory;
  return *m;
}

int RunOnCpu(void*, void*, TandemKernelCall* call, const TandemTensor* inputs, int32_t n, const TandemTensor* outputs, int32_t m) {
  std::vector<const void*> opened;
  const auto open = [&](const TandemTensor& t) {
    if (t.count > 0 && memory().Open(t.data)) opened.push_back(t.data);
  };
  for (int32_t i = 0; i < n; ++i) open(inputs[i]);
  for (int32_t i = 0; i < m; ++i) open(outputs[i]);
  const int code = fake_host->run_cpu_kernel(call);
  for (const void* p : opened) memory().Close(p);
  return code;
}

void* Allocate(void*, size_t bytes) { return memory().Allocate(bytes); }
void Release(void*, void* block, size_t) { memory().Release(block); }
int CreateStream(void*, void** stream) {
  *stream = &num_streams;
  ++num_streams;
  return 0;
}
void DestroyStream(void*, void*) { --num_streams; }
int Synchronize(void*, void*) { return 0; }

int Copy(void* to, const void* from, size_t bytes, const void* on_device) {
  if (fail_copy.exchange(false)) return kInternal;
  if (!memory().Open(on_device)) return kInternal;
  std::memcpy(to, from, bytes);
  memory().Close(on_device);
  return 0;
}
int CopyIn(void*, void*, void* to, const void* from, size_t bytes) { return Copy(to, from, bytes, to); }
int CopyOut(void*, void*, void* to, const void* from, size_t bytes) { return Copy(to, from, bytes, from); }

// Ops that it has, with the inputs it wants on the host. Not Cos, so that something has to fall back.
struct OpRow {
  const char* op;
  uint64_t host_inputs;
};
constexpr OpRow kOps[] = {
    {"Abs", 0}, {"Add", 0}, {"AddN", 0}, {"AddV2", 0}, {"All", 2}, {"Any", 2}, {"ArgMax", 2}, {"ArgMin", 2},
    {"AvgPool", 0}, {"AvgPoolGrad", 1}, {"BatchMatMulV2", 0}, {"BiasAdd", 0}, {"BiasAddGrad", 0}, {"BroadcastTo", 2},
    {"Cast", 0}, {"ConcatV2", 0}, {"Conv2D", 0}, {"Conv2DBackpropFilter", 2}, {"Conv2DBackpropInput", 1}, {"Cumsum", 2},
    {"DepthwiseConv2dNative", 0}, {"Div", 0}, {"Elu", 0}, {"EluGrad", 0}, {"Equal", 0}, {"Erf", 0}, {"Exp", 0}, {"Expm1", 0},
    {"Fill", 1}, {"Floor", 0}, {"FloorDiv", 0}, {"FloorMod", 0}, {"FusedBatchNormV3", 0}, {"GatherV2", 4}, {"Greater", 0}, {"GreaterEqual", 0},
    {"LeakyRelu", 0}, {"LeakyReluGrad", 0}, {"Less", 0}, {"LessEqual", 0}, {"Log", 0}, {"Log1p", 0}, {"LogSoftmax", 0}, {"LogicalAnd", 0},
    {"LogicalNot", 0}, {"LogicalOr", 0}, {"MatMul", 0}, {"Max", 2}, {"MaxPool", 0}, {"MaxPoolGrad", 0}, {"Maximum", 0}, {"Mean", 2},
    {"Min", 2}, {"Minimum", 0}, {"Mul", 0}, {"Neg", 0}, {"NotEqual", 0}, {"OneHot", 2}, {"OnesLike", 0}, {"Pack", 0}, {"Pad", 2}, {"Pow", 0},
    {"Prod", 2}, {"RandomStandardNormal", 1}, {"RandomUniform", 1}, {"RealDiv", 0}, {"Reciprocal", 0}, {"Relu", 0}, {"Relu6", 0},
    {"ReluGrad", 0}, {"Round", 0}, {"Rsqrt", 0}, {"SelectV2", 0}, {"Sigmoid", 0}, {"SigmoidGrad", 0}, {"Sign", 0}, {"Sin", 0}, {"Slice", 6},
    {"Softmax", 0}, {"SoftmaxCrossEntropyWithLogits", 0}, {"Softplus", 0}, {"SparseSoftmaxCrossEntropyWithLogits", 0}, {"Split", 1}, {"Sqrt", 0},
    {"Square", 0}, {"SquaredDifference", 0}, {"StridedSlice", 14}, {"Sub", 0}, {"Sum", 2}, {"Tanh", 0}, {"TanhGrad", 0}, {"Tile", 2},
    {"Transpose", 2}, {"TruncatedNormal", 1}, {"Unpack", 0}, {"ZerosLike", 0},
};

}  // namespace

int RegisterFakeGpu(const TandemHost* host) {
  static std::once_flag once;
  static int result = 0;
  std::call_once(once, [&] {
    fake_host = host;
    static std::vector<TandemKernelRow> rows;
    for (const OpRow& op : kOps) rows.push_back({op.op, TANDEM_ANY_DTYPE, op.host_inputs, 0, RunOnCpu});
    static const TandemDevice device = {TANDEM_PLUGIN_ABI, sizeof(TandemDevice), "GPU",   "fake accelerator", nullptr,
                                        Allocate,          Release,              CreateStream, DestroyStream,      Synchronize,
                                        CopyIn,            CopyOut,              rows.data(),  static_cast<int32_t>(rows.size()), nullptr};
    result = host->register_device(&device);
  });
  return result;
}

void FakeGpu::SetMemoryLimit(int64_t bytes) { limit = bytes < 0 ? -1 : bytes; }
void FakeGpu::FailNextCopy() { fail_copy = true; }
int FakeGpu::streams() { return num_streams; }

}  // namespace tandem

#ifndef TANDEM_FAKE_PLUGIN
#include "core/device.h"
#include "core/error.h"

namespace tandem {

FakeGpu::FakeGpu() {
  if (RegisterFakeGpu(&DevicePluginHost()) != 0) throw Error(Code::kInternal, "the fake device was refused");
}

}  // namespace tandem
#else
extern "C" __attribute__((visibility("default"))) int TandemPluginInit(const TandemHost* host) { return tandem::RegisterFakeGpu(host); }
#endif
