// Algebraic rules and the elimination of transposes and reshapes, as one table each.
//
// A rule looks at one node and names the tensor that may stand for its output. Exact in IEEE arithmetic for every input,
// infinities and signed zeros included (any NaN equals any NaN); dtype and shape stay. What would only hold for real
// numbers (x * 0, x - x, reassociation) is in no rule.
#include <cstring>

#include "core/visit.h"
#include "graph/passes/passes.h"

namespace tandem {
namespace {

constexpr TensorId kNone{-1, 0};

const TensorRep* Constant(const Rewriter& rw, TensorId t) {
  const Node& node = rw.node(t.node);
  return node.op == Op<"Const">() && !rw.is_feed(t.node) ? node.attrs[0].ref().get<Tensor>().rep() : nullptr;
}

// Whether every element is `value` bit for bit (0 and -0 differ), and adding the tensor's axes to x's changes no shape.
bool IsAll(const Rewriter& rw, TensorId t, double value, TensorId x) {
  const TensorRep* c = Constant(rw, t);
  const Shape& shape = rw.graph().output(x).shape;
  if (!c || c->count == 0) return false;
  const bool keeps = c->count == 1 ? c->rank == 0 || (shape.known_rank() && c->rank <= shape.rank()) : shape.fully_known() && shape == c->shape();
  if (!keeps) return false;
  bool all = true;
  const bool numeric = VisitNumeric(c->dtype, [&]<class T>(T) {
    T want;
    if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) want = T(static_cast<float>(value));
    else if constexpr (requires { typename T::value_type; }) want = T(static_cast<typename T::value_type>(value));
    else want = static_cast<T>(value);
    for (int64_t i = 0; all && i < c->count; ++i) all = std::memcmp(&c->as<T>()[i], &want, sizeof(T)) == 0;
  });
  return numeric && all;
}
// The zero that may be added to (subtracted from) anything: -0 (0) for floats, which have two, 0 for integers.
double AddedZero(const Rewriter& rw, TensorId x) { return IsDifferentiable(rw.graph().output(x).dtype) ? -0.0 : 0.0; }

bool SameStaticShape(const Rewriter& rw, TensorId a, TensorId b) {
  const NodeOutput &x = rw.graph().output(a), &y = rw.graph().output(b);
  return x.dtype == y.dtype && x.shape.fully_known() && x.shape == y.shape;
}

// The input of `t` when its producer is `op` and not fed.
const Node* Producer(const Rewriter& rw, TensorId t, OpId op) {
  const Node& node = rw.node(t.node);
  return node.op == op && !rw.is_feed(t.node) && node.controls.empty() ? &node : nullptr;
}

TensorId First(Rewriter& rw, int32_t id) { return rw.node(id).inputs[0]; }

TensorId TimesOne(Rewriter& rw, int32_t id) {
  const TensorId x = rw.node(id).inputs[0], y = rw.node(id).inputs[1];
  return IsAll(rw, y, 1, x) ? x : IsAll(rw, x, 1, y) ? y : kNone;
}
TensorId OverOne(Rewriter& rw, int32_t id) {
  const TensorId x = rw.node(id).inputs[0], y = rw.node(id).inputs[1];
  return IsAll(rw, y, 1, x) ? x : kNone;
}
TensorId PlusZero(Rewriter& rw, int32_t id) {
  const TensorId x = rw.node(id).inputs[0], y = rw.node(id).inputs[1];
  return IsAll(rw, y, AddedZero(rw, x), x) ? x : IsAll(rw, x, AddedZero(rw, y), y) ? y : kNone;
}
TensorId MinusZero(Rewriter& rw, int32_t id) {
  const TensorId x = rw.node(id).inputs[0], y = rw.node(id).inputs[1];
  return IsAll(rw, y, 0, x) ? x : kNone;
}
template <OpNameLiteral op>
TensorId Twice(Rewriter& rw, int32_t id) {
  const Node* inner = Producer(rw, rw.node(id).inputs[0], Op<op>());
  return inner ? inner->inputs[0] : kNone;
}
TensorId CastToItself(Rewriter& rw, int32_t id) {
  const TensorId x = rw.node(id).inputs[0];
  return rw.graph().output(x).dtype == rw.node(id).outputs[0].dtype ? x : kNone;
}
TensorId OnlyOne(Rewriter& rw, int32_t id) { return rw.node(id).inputs.size() == 1 ? rw.node(id).inputs[0] : kNone; }
// An op that can only move or add elements and whose output is as large as its input moved none.
TensorId KeepsShape(Rewriter& rw, int32_t id) {
  return SameStaticShape(rw, rw.node(id).inputs[0], {id, 0}) ? rw.node(id).inputs[0] : kNone;
}
TensorId ConcatOfOne(Rewriter& rw, int32_t id) { return rw.node(id).inputs.size() == 2 ? KeepsShape(rw, id) : kNone; }

struct Rule {
  const char* name;
  const char* algebra;
  OpId (*op)();
  TensorId (*find)(Rewriter& rw, int32_t id);
};

const Rule kExactRules[] = {
    {"identity", "Identity(x) -> x", Op<"Identity">, First},
    {"stop gradient", "StopGradient(x) -> x", Op<"StopGradient">, First},
    {"multiply by one", "x * 1 -> x", Op<"Mul">, TimesOne},
    {"divide by one", "x / 1 -> x", Op<"RealDiv">, OverOne},
    {"add zero", "x + (-0) -> x; integers: x + 0 -> x", Op<"AddV2">, PlusZero},
    {"add zero", "x + (-0) -> x; integers: x + 0 -> x", Op<"Add">, PlusZero},
    {"subtract zero", "x - 0 -> x", Op<"Sub">, MinusZero},
    {"double negation", "-(-x) -> x", Op<"Neg">, Twice<"Neg">},
    {"double not", "!!x -> x", Op<"LogicalNot">, Twice<"LogicalNot">},
    {"cast to itself", "Cast(x, dtype of x) -> x", Op<"Cast">, CastToItself},
    {"sum of one", "AddN(x) -> x", Op<"AddN">, OnlyOne},
};

const Rule kLayoutRules[] = {
    {"reshape to itself", "Reshape(x, shape of x) -> x", Op<"Reshape">, KeepsShape},
    {"broadcast to itself", "BroadcastTo(x, shape of x) -> x", Op<"BroadcastTo">, KeepsShape},
    {"tile once", "Tile(x, 1...) -> x", Op<"Tile">, KeepsShape},
    {"whole slice", "Slice(x, 0..., -1...) -> x", Op<"Slice">, KeepsShape},
    {"pad nothing", "Pad(x, 0...) -> x", Op<"Pad">, KeepsShape},
    {"pad nothing", "PadV2(x, 0...) -> x", Op<"PadV2">, KeepsShape},
    {"concat of one", "ConcatV2(x, axis) -> x", Op<"ConcatV2">, ConcatOfOne},
};

void ApplyRules(Rewriter& rw, std::span<const Rule> rules) {
  for (int32_t id = 0; id < rw.graph().size(); ++id) rw.Push(id);
  int32_t id;
  while (rw.Pop(&id)) {
    if (rw.is_feed(id) || rw.node(id).inputs.empty() || rw.node(id).outputs.size() != 1) continue;
    for (const Rule& rule : rules) {
      if (rule.op() != rw.node(id).op) continue;
      const TensorId x = rule.find(rw, id);
      if (x == kNone || x.node == id) continue;
      // Who waits for the node, and what it waits for, would lose their edge.
      if (!rw.node(id).controls.empty() || rw.HasControlReaders(id) || rw.is_target(id)) continue;
      if (!rw.Begin(rule.name, {&id, 1})) return;
      std::vector<int32_t> readers;
      rw.ForEachUse(id, [&](const Fanout::Use& use) {
        readers.push_back(use.node);
        return true;
      });
      int64_t bytes = 0;
      if (const auto n = rw.node(id).outputs[0].shape.num_elements()) bytes = 2 * *n * static_cast<int64_t>(DTypeSize(rw.node(id).outputs[0].dtype));
      rw.Redirect({id, 0}, x);
      rw.End(rule.algebra, bytes);
      for (int32_t reader : readers) rw.Push(reader);
      break;
    }
  }
}

Tensor AxesOf(const std::vector<int64_t>& axes, DType dtype) {
  if (dtype == kInt64) return Tensor(axes);
  return Tensor(std::vector<int32_t>(axes.begin(), axes.end()));
}

std::optional<std::vector<int64_t>> Permutation(const Rewriter& rw, int32_t transpose) {
  const TensorRep* perm = Constant(rw, rw.node(transpose).inputs[1]);
  if (!perm || perm->rank != 1) return std::nullopt;
  std::vector<int64_t> out;
  for (int64_t i = 0; i < perm->count; ++i) {
    const int64_t axis = perm->dtype == kInt64 ? perm->as<int64_t>()[i] : perm->as<int32_t>()[i];
    out.push_back(axis < 0 ? axis + perm->count : axis);
    if (out.back() < 0 || out.back() >= perm->count) return std::nullopt;
  }
  return out;
}

// Transposing by p and then by q is transposing once by p∘q; by the identity it is nothing. Of two reshapes the last
// counts, once the first is known to succeed.
void Combine(Rewriter& rw) {
  for (int32_t id = 0; id < rw.graph().size(); ++id) rw.Push(id);
  int32_t id;
  while (rw.Pop(&id)) {
    const Node& node = rw.node(id);
    if (rw.is_feed(id) || !node.controls.empty() || node.inputs.empty()) continue;
    if (node.op == Op<"Transpose">()) {
      const auto q = Permutation(rw, id);
      // Of an input whose rank is not known the transpose may still fail.
      if (!q || rw.graph().output(node.inputs[0]).shape.rank() != static_cast<int>(q->size())) continue;
      bool identity = true;
      for (size_t i = 0; i < q->size(); ++i) identity &= (*q)[i] == static_cast<int64_t>(i);
      if (identity && !rw.HasControlReaders(id) && !rw.is_target(id)) {
        if (!rw.Begin("transpose by identity", {&id, 1})) return;
        rw.Redirect({id, 0}, node.inputs[0]);
        rw.End("Transpose(x, 0, 1, ...) -> x");
        continue;
      }
      const Node* inner = Producer(rw, node.inputs[0], Op<"Transpose">());
      const auto p = inner ? Permutation(rw, node.inputs[0].node) : std::nullopt;
      if (!p || p->size() != q->size() || rw.graph().output(inner->inputs[0]).shape.rank() != static_cast<int>(p->size())) continue;
      std::vector<int64_t> composed;
      for (const int64_t axis : *q) composed.push_back((*p)[axis]);
      const int32_t pair[] = {node.inputs[0].node, id};
      if (!rw.Begin("transpose pair", pair)) return;
      const TensorId x = inner->inputs[0];
      const int32_t perm = rw.AddConst(AxesOf(composed, rw.graph().output(node.inputs[1]).dtype), id, "perm");
      if (rw.Replace(id, Op<"Transpose">(), {x, {perm, 0}}, {}).ok()) rw.Push(id);
      rw.End("Transpose(Transpose(x, p), q) -> Transpose(x, p∘q)");
    } else if (node.op == Op<"Reshape">()) {
      const Node* inner = Producer(rw, node.inputs[0], Op<"Reshape">());
      if (!inner || !inner->outputs[0].shape.fully_known() || !rw.graph().output(inner->inputs[0]).shape.fully_known()) continue;
      const int32_t pair[] = {node.inputs[0].node, id};
      if (!rw.Begin("reshape pair", pair)) return;
      const TensorId x = inner->inputs[0], shape = node.inputs[1];
      if (rw.Replace(id, Op<"Reshape">(), {x, shape}, {}).ok()) rw.Push(id);
      rw.End("Reshape(Reshape(x, s), t) -> Reshape(x, t)");
    }
  }
}

}  // namespace

void Simplify(Rewriter& rw) { ApplyRules(rw, kExactRules); }

void EliminateLayout(Rewriter& rw) {
  ApplyRules(rw, kLayoutRules);
  Combine(rw);
}

}  // namespace tandem
