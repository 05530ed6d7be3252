// Update fusion: the steps that an optimizer makes with the same op and the same scalars become one FusedResourceApply,
// which goes over all variables in one call.
#include <map>
#include <string>

#include "graph/passes/passes.h"

namespace tandem {
namespace {

struct UpdateNode {
  int32_t id;
  absl::InlinedVector<TensorId, 4> handles, scalars;
  TensorId gradient;
  bool flag = false;
};

// The parts of a ResourceApply* call of the fused op's dtypes; false for other nodes.
bool Parse(const Rewriter& rw, int32_t id, UpdateNode* update) {
  const Node& node = rw.node(id);
  const OpSchema &schema = node.schema(), &fused = GetOp(Op<"FusedResourceApply">());
  if (!schema.name().starts_with("ResourceApply") || !schema.plain()) return false;
  update->id = id;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const OpArg& arg = schema.inputs()[i];
    if (arg.dtype == kResource) update->handles.push_back(node.inputs[i]);
    else if (arg.name == "grad" || arg.name == "delta") update->gradient = node.inputs[i];
    else update->scalars.push_back(node.inputs[i]);
  }
  if (update->handles.empty() || update->gradient.node < 0) return false;
  const uint64_t types = fused.attrs()[fused.FindAttr("T")].allowed_types;
  if (!(types >> static_cast<int>(rw.graph().output(update->gradient).dtype) & 1)) return false;
  for (const OpAttr& attr : schema.attrs())  // the op's own choice, beside use_locking, which is always so
    if (attr.kind == AttrKind::kBool && attr.name != "use_locking") update->flag = node.attr(AttrName(attr.name)).get<bool>();
  return true;
}

std::string GroupKey(const Rewriter& rw, const UpdateNode& update) {
  const Node& node = rw.node(update.id);
  std::string key = absl::StrCat(node.schema().name(), update.flag, " ", static_cast<int>(rw.graph().output(update.gradient).dtype), " ", std::string(node.device()));
  for (TensorId t : update.scalars) absl::StrAppend(&key, " ", t.node, ":", t.output);
  return key;
}

// Those that no other of the group has to run before.
std::vector<UpdateNode> Independent(Rewriter& rw, const std::vector<UpdateNode>& group) {
  std::vector<bool> reached(rw.graph().size(), false);
  std::vector<int32_t> stack;
  const auto visit_readers = [&](int32_t id) {
    rw.ForEachUse(id, [&](const Fanout::Use& use) {
      if (!reached[use.node]) stack.push_back(use.node);
      reached[use.node] = true;
      return true;
    });
  };
  for (const UpdateNode& update : group) visit_readers(update.id);
  while (!stack.empty()) {
    const int32_t id = stack.back();
    stack.pop_back();
    visit_readers(id);
  }
  std::vector<UpdateNode> free;
  for (const UpdateNode& update : group)
    if (!reached[update.id]) free.push_back(update);
  return free;
}

// False when the pass must stop.
bool Fuse(Rewriter& rw, const std::vector<UpdateNode>& group) {
  std::vector<int32_t> ids;
  absl::InlinedVector<TensorId, 2> inputs;
  for (const UpdateNode& update : group) {
    ids.push_back(update.id);
    inputs.insert(inputs.end(), update.handles.begin(), update.handles.end());
  }
  inputs.insert(inputs.end(), group[0].scalars.begin(), group[0].scalars.end());
  for (const UpdateNode& update : group) inputs.push_back(update.gradient);
  if (!rw.Begin("one update of many variables", ids)) return false;
  const auto fused = rw.AddFused(Op<"FusedResourceApply">(), ids, "fused", std::move(inputs),
                                 {AttrValue(AttrRef(rw.graph().output(group[0].gradient).dtype)), AttrValue(AttrRef(static_cast<int64_t>(group.size()))),
                                  AttrValue(AttrRef(rw.node(ids[0]).schema().name())), AttrValue(AttrRef(group[0].flag))});
  if (fused.ok())
    for (int32_t id : ids) rw.MoveControls(id, *fused);
  rw.End(absl::StrCat(group.size(), " variables in one call"));
  return true;
}

}  // namespace

void FuseUpdates(Rewriter& rw) {
  std::map<std::string, std::vector<UpdateNode>> groups;
  for (int32_t id = 0; id < rw.graph().size(); ++id)
    if (UpdateNode update; !rw.is_feed(id) && Parse(rw, id, &update)) groups[GroupKey(rw, update)].push_back(std::move(update));
  for (const auto& [key, group] : groups) {
    if (group.size() < 2) continue;
    const std::vector<UpdateNode> free = Independent(rw, group);
    if (free.size() < 2) {
      const int32_t pair[] = {group[0].id, group[1].id};
      rw.NearMiss("one update of many variables", pair, "one has to run before the other");
    } else if (!Fuse(rw, free)) {
      return;
    }
  }
}

}  // namespace tandem
