#include "graph/placement.h"

#include <algorithm>

namespace tandem {
namespace {

// Shape arithmetic and counters: integers in, integers out.
bool IsIntegers(const NodeGraph& graph, const Node& node) {
  const auto integer = [](DType d) { return IsInteger(d) || d == kBool; };
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](TensorId t) { return integer(graph.output(t).dtype); }) &&
         std::all_of(node.outputs.begin(), node.outputs.end(), [&](const NodeOutput& out) { return integer(out.dtype); });
}

// Whether a device may be asked for it: numbers in, numbers out, shapes known before the kernel.
bool MayLeaveHost(const NodeGraph& graph, const Node& node) {
  return !node.schema().has(kKernelAllocates) &&
         std::all_of(node.inputs.begin(), node.inputs.end(), [&](TensorId t) { return FitsOnDevices(graph.output(t).dtype); }) &&
         std::all_of(node.outputs.begin(), node.outputs.end(), [](const NodeOutput& out) { return FitsOnDevices(out.dtype); });
}

absl::StatusOr<std::string> Place(const NodeGraph& graph, const Node& node, bool soft) {
  const DeviceRequest wish = FindDevice(node.device());
  if (wish.kind == DeviceRequest::kMissing && !soft) return NoDeviceError(node.schema().name(), node.device());
  const std::string here = wish.kind == DeviceRequest::kCpu ? std::string(kCpuName) : "";
  if (node.schema().traits() & (kView | kForwards | kReadsShapes)) {
    if (wish.device) return wish.device->name();
    if (node.op != Op<"VarHandleOp">() || wish.kind != DeviceRequest::kNone) return here;
    const DType dtype = node.attr("dtype").get<DType>();
    const bool number = FitsOnDevices(dtype) && !IsInteger(dtype);  // counters stay with the CPU
    return number && DefaultGpu() ? DefaultGpu()->name() : here;
  }
  Device* device = wish.device;
  if (wish.kind == DeviceRequest::kNone && !IsIntegers(graph, node)) device = DefaultGpu();
  if (!device) return here;
  if (MayLeaveHost(graph, node)) {
    const auto inputs = graph.InferInputs(node);
    const auto attrs = node.attr_refs();
    InferContext infer(node.schema(), inputs, attrs);
    RETURN_IF_ERROR(infer.Resolve());
    if (device->FindKernel(node.op, infer.signature())) return device->name();
    if (!soft && wish.device) return NoDeviceKernelError(node.schema(), infer.signature(), *device);
  } else if (!soft && wish.device) {
    return NoDeviceKernelError(node.schema(), CallSignature(), *device);
  }
  return std::string();
}

}  // namespace

absl::Status PlaceNodes(NodeGraph& graph, const SessionOptions& options) {
  const bool wishes = std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& n) { return !n.device().empty(); });
  if (!AnyDevices() && !options.log_device_placement && (options.allow_soft_placement || !wishes)) return absl::OkStatus();
  for (int32_t id = 0; id < graph.size(); ++id) {
    Node& node = graph.node(id);
    auto place = Place(graph, node, options.allow_soft_placement);
    if (!place.ok()) return WithNode(place.status(), node.name);
    if (options.log_device_placement)
      LogPlacement(absl::StrCat(Absl(node.name), ": (", node.schema().name(), ")"), FindDevice(*place).device);
    if (!AnyDevices() || node.device() == *place) continue;
    auto extra = node.extra ? std::make_shared<NodeExtra>(*node.extra) : std::make_shared<NodeExtra>();
    extra->device = *std::move(place);
    node.extra = std::move(extra);
  }
  return absl::OkStatus();
}

}  // namespace tandem
