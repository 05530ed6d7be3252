// Eager calls where devices are in play: which device runs the op, and the copies it takes.
#include <algorithm>

#include "core/scopes.h"
#include "core/variable_storage.h"
#include "eager/eager_call.h"
#include "eager/eager_context.h"

namespace tandem {
namespace {

// Integer tensors up to this size are shapes, axes and counters: the CPU is where they are wanted.
constexpr int64_t kSmall = 64;

bool IsSmallInteger(const TensorRep& rep) {
  return rep.on_host() && (IsInteger(rep.dtype) || rep.dtype == kBool) && rep.count <= kSmall;
}

// A copy of inputs whose references end with it.
struct HeldInputs {
  absl::InlinedVector<Tensor, 4> held;
  absl::InlinedVector<TensorRep*, 4> reps;
  absl::Status Add(TensorRep* rep, Device* place, bool move) {
    Tensor t = Tensor::Share(rep);
    if (move) {
      ASSIGN_OR_RETURN(t, ToPlace(t, place));
    }
    reps.push_back(t.rep());
    held.push_back(std::move(t));
    return absl::OkStatus();
  }
};

Device* DeviceOfInputs(const OpCall& call) {
  for (const TensorRep* rep : call.inputs)
    if (Device* device = DeviceOf(*rep)) return device;
  return nullptr;
}

// Whether a device may be asked for the op at all: numbers in, numbers out, shapes known before the kernel.
bool MayLeaveHost(const OpSchema& schema, const OpCall& call) {
  if (schema.has(kKernelAllocates)) return false;
  return std::all_of(call.inputs.begin(), call.inputs.end(), [](const TensorRep* rep) { return FitsOnDevices(rep->dtype); });
}

}  // namespace

absl::Status EagerContext::DispatchPlaced(const OpCall& call, std::span<TensorRep*> outputs) {
  const OpSchema& schema = GetOp(call.op);
  const std::string_view scope = ScopeChain::Device();
  const DeviceRequest wish = FindDevice(scope);
  const bool strict = !SoftDevicePlacement();
  if (wish.kind == DeviceRequest::kMissing && strict) return NoDeviceError(schema.name(), scope);
  if (schema.traits() & (kView | kForwards | kReadsShapes)) return DispatchForward(call, outputs, wish);

  Device* device = wish.device;
  if (wish.kind == DeviceRequest::kNone || wish.kind == DeviceRequest::kMissing) {
    device = DeviceOfInputs(call);
    const bool small = !call.inputs.empty() && std::all_of(call.inputs.begin(), call.inputs.end(), [](const TensorRep* rep) { return IsSmallInteger(*rep); });
    // Random ops read small integers too, but make floats.
    if (!device && wish.kind == DeviceRequest::kNone && (!small || schema.has(kRandom))) device = DefaultGpu();
  }
  if (device && MayLeaveHost(schema, call)) {
    bool placed = false;
    absl::Status status = DispatchOnDevice(call, outputs, *device, &placed);
    if (placed || !status.ok()) return status;
  }
  HeldInputs inputs;
  for (TensorRep* rep : call.inputs) RETURN_IF_ERROR(inputs.Add(rep, nullptr, true));
  if (LogsDevicePlacement()) LogPlacement(schema.name(), nullptr);
  return DispatchHere({call.op, inputs.reps, call.attrs, call.origin, call.name}, outputs);
}

// Nothing is read, so the op runs wherever its operands lie; a device that the scope names gets what comes out.
absl::Status EagerContext::DispatchForward(const OpCall& call, std::span<TensorRep*> outputs, const DeviceRequest& wish) {
  const OpSchema& schema = GetOp(call.op);
  HeldInputs inputs;
  for (size_t i = 0; i < call.inputs.size(); ++i) RETURN_IF_ERROR(inputs.Add(call.inputs[i], nullptr, schema.has(kView) && i > 0));
  RETURN_IF_ERROR(DispatchHere({call.op, inputs.reps, call.attrs, call.origin, call.name}, outputs));
  OutputReleaser releaser{outputs};
  Device* place = wish.device;
  const bool wished = wish.kind == DeviceRequest::kDevice || wish.kind == DeviceRequest::kCpu;
  const bool handles = std::any_of(call.inputs.begin(), call.inputs.end(), [](const TensorRep* rep) { return rep->dtype == kResource; });
  for (TensorRep*& out : outputs) {
    if (call.op == Op<"VarHandleOp">()) {
      ASSIGN_OR_RETURN(VariableStorage * variable, GetVariable(*out, schema.name()));
      // Counters stay with the CPU unless a scope says otherwise.
      if (wish.kind == DeviceRequest::kNone && !IsInteger(variable->dtype())) place = DefaultGpu();
      if (FitsOnDevices(variable->dtype())) RETURN_IF_ERROR(variable->SetPlace(place));
    } else if (wished && !handles && !schema.has(kReadsShapes) && DeviceOf(*out) != place) {
      ASSIGN_OR_RETURN(Tensor moved, ToPlace(Tensor::Share(out), place));
      Unref(std::exchange(out, moved.release()));
    }
    if (Device* device = DeviceOf(*out)) place = device;
  }
  if (LogsDevicePlacement()) LogPlacement(schema.name(), place);
  releaser.armed = false;
  return absl::OkStatus();
}

absl::Status EagerContext::DispatchOnDevice(const OpCall& call, std::span<TensorRep*> outputs, Device& device, bool* placed) {
  const OpSchema& schema = GetOp(call.op);
  absl::InlinedVector<InferInput, 4> operands;
  RETURN_IF_ERROR(EagerInferInputs(call, &operands));
  InferContext first(schema, operands, call.attrs);
  RETURN_IF_ERROR(first.Run());
  HeldInputs values;
  InferContext second(schema, operands, call.attrs);
  InferContext* infer = &first;
  const auto known = [](const InferOutput& out) { return out.shape.fully_known(); };
  if (!std::all_of(first.outputs().begin(), first.outputs().end(), known)) {
    // A shape depends on integers that lie on the device.
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      RETURN_IF_ERROR(values.Add(call.inputs[i], nullptr, IsInteger(call.inputs[i]->dtype)));
      operands[i] = InferInput::Of(*values.reps[i]);
    }
    infer = &second;
    RETURN_IF_ERROR(second.Run());
  }
  const TandemKernelRow* row = device.FindKernel(call.op, infer->signature());
  const bool numbers = std::all_of(infer->outputs().begin(), infer->outputs().end(), [](const InferOutput& out) { return FitsOnDevices(out.dtype); });
  if (!row || !numbers) {
    if (SoftDevicePlacement() || FindDevice(ScopeChain::Device()).device != &device) return absl::OkStatus();
    return NoDeviceKernelError(schema, infer->signature(), device);
  }
  *placed = true;
  if (outputs.size() != static_cast<size_t>(infer->num_outputs()))
    return absl::InternalError(absl::StrCat(schema.name(), ": has ", infer->num_outputs(), " outputs, the caller expects ", outputs.size()));
  HeldInputs inputs;
  for (size_t i = 0; i < call.inputs.size(); ++i)
    RETURN_IF_ERROR(inputs.Add(call.inputs[i], OnHostMask(row->host_inputs, i) ? nullptr : &device, true));
  OutputReleaser releaser{outputs};
  for (size_t i = 0; i < outputs.size(); ++i) {
    const InferOutput& out = infer->outputs()[i];
    ASSIGN_OR_RETURN(outputs[i], NewPlacedRep(schema, out.dtype, out.shape, OnHostMask(row->host_outputs, i) ? nullptr : &device));
  }
  KernelCall run(schema, inputs.reps, outputs, call.attrs, &infer->signature(), &EagerKernelEnv());
  if (schema.has(kRandom)) run.node_state = &State(call);
  if (LogsDevicePlacement()) LogPlacement(schema.name(), &device);
  RETURN_IF_ERROR(device.Run(*row, run));
  releaser.armed = false;
  return absl::OkStatus();
}

namespace {

class PlacingContext final : public Context {
 public:
  absl::Status Dispatch(const OpCall& call, std::span<TensorRep*> outputs) override {
    // Without devices and wishes only the report is left to write.
    if (!AnyDevices() && SoftDevicePlacement() && !LogsDevicePlacement()) return DefaultEagerContext().Dispatch(call, outputs);
    return DefaultEagerContext().DispatchPlaced(call, outputs);
  }
  bool executing_eagerly() const override { return true; }
  absl::Status RecordCustom(std::string_view, const Tensors&, Tensors&, BackwardFn, Origin) override { return absl::OkStatus(); }
};

}  // namespace

Context& PlacingEagerContext() {
  static PlacingContext* context = new PlacingContext;
  return *context;
}

}  // namespace tandem
