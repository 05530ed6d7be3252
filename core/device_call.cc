// Calls between core and a plug-in: a kernel's call as C sees it, and what a plug-in may ask of it.
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <dlfcn.h>

#include "core/device_registry.h"
#include "core/scopes.h"

struct TandemKernelCall {
  tandem::KernelCall& call;
  const TandemTensor* inputs;
  const TandemTensor* outputs;
  absl::Status status;
};

namespace tandem {
namespace {

TandemTensor View(const TensorRep& rep) { return {static_cast<int32_t>(rep.dtype), rep.rank, rep.dims(), rep.count, rep.data}; }

// The explicit attribute, or nothing; *implied is the schema's index of one that inputs imply.
AttrRef FindAttr(const TandemKernelCall& c, const char* name, int* implied) {
  const OpSchema& schema = c.call.schema;
  *implied = -1;
  const int i = schema.FindAttr(std::string_view(name));
  if (i < 0) return AttrRef();
  if (schema.attrs()[i].explicit_index >= 0) return c.call.attrs[schema.attrs()[i].explicit_index];
  *implied = i;
  return AttrRef();
}

constexpr int kNotFound = static_cast<int>(absl::StatusCode::kNotFound);

int AttrInt(const TandemKernelCall* c, const char* name, int64_t* value) {
  int implied;
  const AttrRef attr = FindAttr(*c, name, &implied);
  if (implied >= 0) {
    const bool type = c->call.schema.attrs()[implied].kind == AttrKind::kType;
    *value = type ? static_cast<int64_t>(c->call.signature->types[implied]) : c->call.signature->numbers[implied];
    return 0;
  }
  if (attr.kind() == AttrKind::kInt) *value = attr.get<int64_t>();
  else if (attr.kind() == AttrKind::kBool) *value = attr.get<bool>();
  else if (attr.kind() == AttrKind::kType) *value = static_cast<int64_t>(attr.get<DType>());
  else return kNotFound;
  return 0;
}

int AttrFloat(const TandemKernelCall* c, const char* name, float* value) {
  int implied;
  const AttrRef attr = FindAttr(*c, name, &implied);
  if (attr.kind() != AttrKind::kFloat) return kNotFound;
  *value = attr.get<float>();
  return 0;
}

int AttrString(const TandemKernelCall* c, const char* name, const char** text, size_t* size) {
  int implied;
  const AttrRef attr = FindAttr(*c, name, &implied);
  if (attr.kind() != AttrKind::kString) return kNotFound;
  *text = attr.get<std::string_view>().data();
  *size = attr.get<std::string_view>().size();
  return 0;
}

int AttrInts(const TandemKernelCall* c, const char* name, const int64_t** values, size_t* count) {
  int implied;
  const AttrRef attr = FindAttr(*c, name, &implied);
  if (attr.kind() != AttrKind::kIntList) return kNotFound;
  const auto list = attr.get<std::span<const int64_t>>();
  *values = list.data();
  *count = list.size();
  return 0;
}

int Fail(TandemKernelCall* c, int code, const char* message) {
  c->status = absl::Status(static_cast<absl::StatusCode>(code), absl::StrCat(c->call.schema.name(), ": ", message ? message : ""));
  return code;
}

// A header that no owner stands behind, as an executor's frame has them.
void FillHeader(TensorRep& header, const TandemTensor& from) {
  header.refs.store(1, std::memory_order_relaxed);
  header.dtype = static_cast<DType>(from.dtype);
  header.rank = static_cast<uint8_t>(from.rank);
  header.storage = Storage::kArena;
  header.size_class = 0;
  header.count = from.count;
  header.data = from.data;
  header.owner = nullptr;
  header.tape_mark = 0;
  if (header.rank <= 3) std::copy_n(from.dims, from.rank, header.inline_dims);
  else header.far_dims = const_cast<int64_t*>(from.dims);
}

int RunCpuKernel(TandemKernelCall* c) {
  KernelCall& call = c->call;
  const size_t n = call.inputs.size(), m = call.outputs.size();
  const auto headers = std::make_unique<TensorRep[]>(n + m);
  absl::InlinedVector<TensorRep*, 8> inputs(n), outputs(m);
  for (size_t i = 0; i < n; ++i) FillHeader(*(inputs[i] = &headers[i]), c->inputs[i]);
  for (size_t i = 0; i < m; ++i) FillHeader(*(outputs[i] = &headers[n + i]), c->outputs[i]);
  KernelCall run(call.schema, inputs, {outputs.data(), m}, call.attrs, call.signature, call.env);
  run.node_state = call.node_state;
  const KernelFn kernel = FindKernel(FindOp(call.schema.name()), *call.signature);
  const int attr = call.schema.kernel_type_attr();
  try {
    c->status = kernel ? kernel(run) : NoKernelError(call.schema, attr < 0 ? DType::kInvalid : call.signature->types[attr]);
  } catch (...) {
    c->status = StatusFromException(std::current_exception());
  }
  // A kernel that makes its own outputs left them in the host's memory.
  for (size_t i = 0; i < m; ++i) {
    if (outputs[i] == &headers[n + i] || !outputs[i]) continue;
    if (c->status.ok() && outputs[i]->bytes()) std::memcpy(c->outputs[i].data, outputs[i]->data, static_cast<size_t>(outputs[i]->bytes()));
    Unref(outputs[i]);
  }
  return static_cast<int>(c->status.code());
}

int Register(const TandemDevice* device) {
  try {
    RegisterDevice(*device);
    return 0;
  } catch (const Error& e) {
    return static_cast<int>(e.code());
  }
}

constexpr TandemHost kHost = {TANDEM_PLUGIN_ABI, sizeof(TandemHost), Register, AttrInt, AttrFloat, AttrString, AttrInts, Fail, RunCpuKernel};

}  // namespace

const TandemHost& DevicePluginHost() { return kHost; }

absl::Status Device::Run(const TandemKernelRow& row, KernelCall& call) {
  absl::InlinedVector<TandemTensor, 8> inputs, outputs;
  for (const TensorRep* rep : call.inputs) inputs.push_back(View(*rep));
  for (const TensorRep* rep : call.outputs) outputs.push_back(View(*rep));
  TandemKernelCall c{call, inputs.data(), outputs.data(), absl::OkStatus()};
  kernels_.fetch_add(1, std::memory_order_relaxed);
  const int code = row.run(plugin_.self, stream_, &c, inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(),
                           static_cast<int32_t>(outputs.size()));
  if (code == 0) return absl::OkStatus();
  return c.status.ok() ? Failure(code, call.schema.name()) : c.status;
}

void LoadDevicePluginsFromEnvironment() {
  const char* list = std::getenv("TANDEM_PLUGINS");
  for (std::string_view rest = list ? list : ""; !rest.empty();) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::string path(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    try {
      if (!path.empty()) LoadDevicePlugin(path);
    } catch (const Error& e) {
      std::cerr << "TANDEM_PLUGINS: " + e.message() + "\n";
    }
  }
}

void LoadDevicePlugin(const std::string& path) {
  // Never closed: its devices stay for the life of the process.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) ThrowError(absl::NotFoundError(absl::StrCat("LoadDevicePlugin: ", dlerror())));
  const auto init = reinterpret_cast<int (*)(const TandemHost*)>(dlsym(library, "TandemPluginInit"));
  if (!init) ThrowError(absl::NotFoundError(absl::StrCat("LoadDevicePlugin: ", path, " has no function TandemPluginInit")));
  if (const int code = init(&kHost))
    ThrowError(absl::Status(static_cast<absl::StatusCode>(code), absl::StrCat("LoadDevicePlugin: TandemPluginInit of ", path, " failed with ", CodeName(static_cast<Code>(code)))));
}

}  // namespace tandem
