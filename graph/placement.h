// Which device runs each node of a Session's graph: the node's own wish, else a GPU when one is there and has the kernel
// (core/device.h). Without devices nothing is looked at.
#pragma once
#include "core/device_registry.h"
#include "graph/node_graph.h"
#include "graph/session.h"

namespace tandem {

// Resolves each node's wish before the passes run: afterwards a node names a device only when that device is there and
// has the kernel, and views and aliases, which run where their input lies, only what they were asked for.
// Without soft placement: NOT_FOUND for a device that is missing, UNIMPLEMENTED where it lacks the kernel; both name the
// node.
absl::Status PlaceNodes(NodeGraph& graph, const SessionOptions& options);

// The device a placed node names; null for the CPU and for none.
inline Device* DeviceOfNode(const Node& node) {
  return !node.extra || node.extra->device.empty() || !AnyDevices() ? nullptr : FindDevice(node.extra->device).device;
}
// Whether a placed node says where its outputs shall lie.
inline bool WishesPlace(const Node& node) { return AnyDevices() && FindDevice(node.device()).kind != DeviceRequest::kNone; }

}  // namespace tandem
