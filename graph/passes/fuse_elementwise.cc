// Elementwise fusion: a node whose every reader lies in one cluster joins it, so a cluster is convex and has one output.
// Walking against the edges, one sweep finds the largest such clusters.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "core/kernel.h"
#include "graph/passes/passes.h"
#include "graph/placement.h"

namespace tandem {
namespace {

constexpr size_t kMaxInstructions = 64;  // beyond, registers spill more than memory is spared
constexpr size_t kMaxInputs = 12;

bool MayFuse(const Rewriter& rw, int32_t id) {
  const Node& node = rw.node(id);
  if (rw.is_feed(id) || node.outputs.size() != 1 || node.inputs.empty() || !node.schema().has(kElementwise)) return false;
  const CpuKernel& kernel = GetCpuKernel(node.op);
  if (kernel.loop_op < 0 || DeviceOfNode(node)) return false;  // loops are the CPU's
  const auto fits = [&](const NodeOutput& t) { return t.dtype == kBool || kernel.fusable(t.dtype); };  // conditions and comparisons
  if (!fits(node.outputs[0])) return false;
  for (TensorId t : node.inputs)
    if (!fits(rw.graph().output(t))) return false;
  return true;
}

struct Cluster {
  std::vector<int32_t> nodes;  // the root first, readers before what they read
  size_t inputs = 0;           // an upper bound
};

class Fuser {
 public:
  explicit Fuser(Rewriter& rw) : rw_(rw) {}

  void Run() {
    const auto order = rw_.graph().TopologicalOrder();
    if (!order.ok()) return;
    position_.resize(rw_.graph().size());
    for (size_t i = 0; i < order->size(); ++i) position_[(*order)[i]] = static_cast<int32_t>(i);
    cluster_of_.assign(rw_.graph().size(), -1);
    for (size_t i = order->size(); i-- > 0;)
      if (MayFuse(rw_, (*order)[i])) Place((*order)[i]);
    // Producers first: what a later cluster reads is then already there.
    for (size_t c = clusters_.size(); c-- > 0;)
      if (clusters_[c].nodes.size() > 1) Emit(clusters_[c]);
  }

 private:
  // The cluster that all readers of `id` lie in; -1 when there is none, with the reason.
  int32_t CommonCluster(int32_t id, const char** why) {
    if (rw_.is_fetched({id, 0}) || rw_.is_target(id)) {
      *why = "its result is also fetched";
      return -1;
    }
    int32_t common = -1;
    bool all = true;
    rw_.ForEachUse(id, [&](const Fanout::Use& use) {
      const int32_t c = use.input < 0 ? -1 : cluster_of_[use.node];
      if (use.input < 0) *why = "another node waits for it";
      else if (c < 0) *why = "";  // read by something that is not elementwise: no near miss
      else if (common >= 0 && c != common) *why = "its result is read by several loops";
      all = c >= 0 && (common < 0 || c == common);
      common = c;
      return all;
    });
    return all ? common : -1;
  }

  void Place(int32_t id) {
    const Node& node = rw_.node(id);
    const char* why = "";
    int32_t c = CommonCluster(id, &why);
    if (c >= 0) {
      Cluster& cluster = clusters_[c];
      const Node& root = rw_.node(cluster.nodes.front());
      if (!node.controls.empty()) why = "it waits for another node", c = -1;
      else if (node.outputs[0].shape != root.outputs[0].shape) why = "its shape is smaller: it would be computed again for each element", c = -1;
      else if (node.device() != root.device()) why = "it is on another device", c = -1;
      else if (cluster.nodes.size() >= kMaxInstructions || cluster.inputs + node.inputs.size() - 1 > kMaxInputs) why = "", c = -1;
    }
    if (c < 0) {
      if (*why && rw_.logging()) rw_.NearMiss("fuse", {&id, 1}, absl::StrCat(std::string(OpName(node.op)), " not fused into its readers: ", why));
      c = static_cast<int32_t>(clusters_.size());
      clusters_.emplace_back().inputs = 1;
    }
    cluster_of_[id] = c;
    clusters_[c].nodes.push_back(id);
    clusters_[c].inputs += node.inputs.size() - 1;
  }

  void Emit(const Cluster& cluster) {
    std::vector<int32_t> nodes = cluster.nodes;
    std::sort(nodes.begin(), nodes.end(), [&](int32_t a, int32_t b) { return position_[a] < position_[b]; });
    absl::flat_hash_map<int32_t, int64_t> result;  // node -> ~instruction
    absl::flat_hash_map<TensorId, int64_t> input;
    absl::InlinedVector<TensorId, 2> inputs;
    std::vector<FuncAttr> program;
    int64_t bytes = 0;
    for (int32_t id : nodes) {
      const Node& node = rw_.node(id);
      std::vector<int64_t> args;
      for (TensorId t : node.inputs) {
        if (const auto it = result.find(t.node); it != result.end()) {
          args.push_back(it->second);
          continue;
        }
        const auto [it, added] = input.try_emplace(t, static_cast<int64_t>(inputs.size()));
        if (added) inputs.push_back(t);
        args.push_back(it->second);
      }
      FuncAttr& op = program.emplace_back();
      op.name = OpName(node.op);
      op.attrs.emplace_back("args", AttrValue(AttrRef(args)));
      for (const OpAttr& attr : node.schema().attrs())
        if (attr.explicit_index >= 0) op.attrs.emplace_back(attr.name, node.attrs[attr.explicit_index]);
      result[id] = ~static_cast<int64_t>(program.size() - 1);
      // Each result that stays in registers is neither written nor read again.
      if (id != nodes.back())
        if (const auto n = node.outputs[0].shape.num_elements()) bytes += 2 * *n * static_cast<int64_t>(DTypeSize(node.outputs[0].dtype));
    }
    const int32_t root = nodes.back();
    const DType out[] = {rw_.node(root).outputs[0].dtype};
    std::vector<int32_t> from = {root};
    from.insert(from.end(), nodes.begin(), nodes.end() - 1);
    if (!rw_.Begin("fuse", nodes)) return;
    const auto made = rw_.AddFused(Op<"FusedElementwise">(), from, "fused", std::move(inputs),
                                   {AttrValue(AttrRef(std::span<const DType>(out))), AttrValue(AttrRef(std::span<const FuncAttr>(program)))});
    if (!made.ok()) {  // inference fails: so it will without fusion, where the error names the node
      rw_.End(std::string(made.status().message()));
      return;
    }
    rw_.Redirect({root, 0}, {*made, 0});
    rw_.MoveControls(root, *made);
    rw_.End(absl::StrCat(program.size(), " ops in one loop"), bytes);
  }

  Rewriter& rw_;
  std::vector<int32_t> position_, cluster_of_;  // by node
  std::vector<Cluster> clusters_;
};

}  // namespace

void FuseElementwise(Rewriter& rw) { Fuser(rw).Run(); }

}  // namespace tandem
