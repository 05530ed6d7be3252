#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "graph/passes/passes.h"

namespace tandem {
namespace {

// Larger constants are equal only when they share memory: keys hold the elements.
constexpr int64_t kMaxComparedBytes = 64 << 10;

template <class T>
void AppendRaw(const T& value, std::string& key) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

bool MayMerge(const Rewriter& rw, int32_t id) {
  const Node& node = rw.node(id);
  return !rw.is_feed(id) && node.op != Op<"Placeholder">() && !(node.schema().traits() & (kStateful | kSideEffect | kRandom));
}

// What makes two nodes equal. Lengths are implied by the op and stand where they are not.
void AppendKey(const Node& node, std::string& key) {
  key.clear();
  AppendRaw(node.op, key);
  AppendRaw(node.inputs.size(), key);
  absl::InlinedVector<TensorId, 2> inputs = node.inputs;
  const auto less = [](TensorId a, TensorId b) { return a.node != b.node ? a.node < b.node : a.output < b.output; };
  if (node.schema().has(kCommutative) && inputs.size() >= 2 && less(inputs[1], inputs[0])) std::swap(inputs[0], inputs[1]);
  for (TensorId t : inputs) AppendRaw(t, key);
  for (const AttrValue& attr : node.attrs) {
    if (attr.kind() == AttrKind::kTensor) {
      const Tensor value = attr.ref().get<Tensor>();
      if (value.rep()->bytes() > kMaxComparedBytes) {
        AppendRaw(value.rep(), key);
        continue;
      }
    }
    AppendAttrKey(attr.ref(), key);
  }
  absl::InlinedVector<int32_t, 1> controls = node.controls;
  std::sort(controls.begin(), controls.end());
  AppendRaw(controls.size(), key);
  for (int32_t c : controls) AppendRaw(c, key);
  key += node.device();
}

}  // namespace

void MergeCommonSubexpressions(Rewriter& rw) {
  const auto order = rw.graph().TopologicalOrder();
  if (!order.ok()) return;
  // In topological order the inputs of a node are merged before it is looked at, so one sweep finds all.
  // Nodes are found by the hash of their key; the keys themselves are compared when two hashes meet.
  absl::flat_hash_map<size_t, int32_t> seen;
  seen.reserve(order->size());
  std::string key, other;
  for (int32_t id : *order) {
    if (!MayMerge(rw, id)) continue;
    AppendKey(rw.node(id), key);
    const auto [it, added] = seen.try_emplace(absl::Hash<std::string>()(key), id);
    if (added) continue;
    const int32_t first = it->second;
    AppendKey(rw.node(first), other);
    if (key != other) continue;
    const int32_t pair[] = {id, first};
    if (!rw.Begin("merge", pair)) return;
    for (size_t k = 0; k < rw.node(id).outputs.size(); ++k) {
      const auto output = static_cast<int32_t>(k);
      rw.Redirect({id, output}, {first, output});
    }
    rw.MoveControls(id, first);
    rw.End("the same op on the same inputs");
  }
}

}  // namespace tandem
