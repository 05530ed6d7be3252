#include "core/context.h"
#include "core/scopes.h"
#include "graph/function_library.h"
#include "graph/passes/passes.h"

namespace tandem {
namespace {

// Null too for a constant that waits for other nodes: who reads it waits for them, which a folded value would not.
const TensorRep* ConstValue(const Rewriter& rw, TensorId t) {
  const Node& node = rw.node(t.node);
  if (node.op != Op<"Const">() || !node.controls.empty()) return nullptr;
  const Tensor value = node.attrs[0].ref().get<Tensor>();
  return value.rep();  // owned by the attribute
}

// Bytes of all outputs; -1 when a shape is not known.
int64_t OutputBytes(const Node& node) {
  int64_t bytes = 0;
  for (const NodeOutput& out : node.outputs) {
    const auto count = out.shape.num_elements();
    if (!count) return -1;
    const auto size = CheckedMultiply(*count, static_cast<int64_t>(std::max<size_t>(DTypeSize(out.dtype), 8)));
    if (!size || *size > (int64_t{1} << 40)) return int64_t{1} << 40;
    bytes += *size;
  }
  return bytes;
}

bool MayFold(const Rewriter& rw, int32_t id) {
  const Node& node = rw.node(id);
  if (node.op == Op<"Const">() || node.inputs.empty() || node.outputs.empty() || rw.is_feed(id) || rw.is_target(id)) return false;
  if (node.schema().traits() & (kStateful | kSideEffect | kRandom) || CallsFunctions(node.schema())) return false;
  for (const NodeOutput& out : node.outputs)
    if (out.dtype == kResource || out.dtype == kVariant) return false;
  for (TensorId t : node.inputs)
    if (!ConstValue(rw, t)) return false;
  const int64_t bytes = OutputBytes(node);
  return bytes <= kMaxFoldedBytes;  // unknown (-1): the shape depends on values, which are here
}

}  // namespace

void FoldConstants(Rewriter& rw) {
  for (int32_t id = 0; id < rw.graph().size(); ++id)
    if (MayFold(rw, id)) rw.Push(id);
  int32_t id;
  while (rw.Pop(&id)) {
    if (!MayFold(rw, id)) continue;
    const Node& node = rw.node(id);
    absl::InlinedVector<TensorRep*, 4> inputs;
    for (TensorId t : node.inputs) inputs.push_back(const_cast<TensorRep*>(ConstValue(rw, t)));
    absl::InlinedVector<TensorRep*, 2> outputs(node.outputs.size(), nullptr);
    const auto attrs = node.attr_refs();
    {
      ContextScope eager(nullptr);
      DeviceScope host("/cpu:0");
      if (!CurrentContext().Dispatch({node.op, inputs, attrs, node.origin, {}}, {outputs.data(), outputs.size()}).ok()) continue;
    }
    Tensors values;
    int64_t bytes = 0;
    for (TensorRep* rep : outputs) {
      values.push_back(Tensor::Adopt(rep));
      bytes += rep->bytes();
    }
    if (bytes > kMaxFoldedBytes) continue;
    if (!rw.Begin("fold", {&id, 1})) return;
    // Control edges stay true: the constant waits for what the node waited for.
    for (size_t k = 0; k < values.size(); ++k) {
      const TensorId from{id, static_cast<int32_t>(k)};
      if (rw.CountReaders(from, 1) == 0 && k > 0) continue;
      const int32_t made = rw.AddConst(values[k], id, k == 0 ? "folded" : absl::StrCat("folded_", k));
      rw.Redirect(from, {made, 0});
      if (k == 0) rw.MoveControls(id, made);
      rw.ForEachUse(made, [&](const Fanout::Use& use) {
        if (MayFold(rw, use.node)) rw.Push(use.node);
        return true;
      });
    }
    rw.End(absl::StrCat("all inputs are constant; ", bytes, " bytes"), bytes);
  }
}

}  // namespace tandem
