#include "kernels/vector/record.h"

#include "kernels/vector/recorder.h"

namespace tandem::vec {
namespace recording {
namespace {

thread_local Recorder* current = nullptr;

uint64_t Hash(const Node& n) {
  uint64_t h = n.bits * 0x9E3779B97F4A7C15u + static_cast<uint64_t>(n.op) * 131 + static_cast<uint64_t>(n.lane) * 31 + static_cast<uint64_t>(n.operand) * 7 + n.imm;
  for (const int arg : {n.a, n.b, n.c}) h = (h ^ static_cast<uint32_t>(arg)) * 0x9E3779B97F4A7C15u;
  return h ^ h >> 29;
}

bool Same(const Node& x, const Node& y) {
  return x.op == y.op && x.lane == y.lane && x.operand == y.operand && x.imm == y.imm && x.a == y.a && x.b == y.b && x.c == y.c && x.bits == y.bits;
}

}  // namespace

Recorder::Recorder(PrimitiveGraph& graph, bool has_scale) : graph_(graph), has_scale_(has_scale), table_(256, -1) { current = this; }
Recorder::~Recorder() { current = nullptr; }
Recorder& Recorder::Current() { return *current; }

int Recorder::Add(const Node& node) {
  if (graph_.nodes.size() * 2 >= table_.size()) {
    std::vector<int> larger(table_.size() * 2, -1);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      size_t at = Hash(graph_.nodes[i]) & (larger.size() - 1);
      while (larger[at] >= 0) at = (at + 1) & (larger.size() - 1);
      larger[at] = static_cast<int>(i);
    }
    table_.swap(larger);
  }
  size_t at = Hash(node) & (table_.size() - 1);
  for (; table_[at] >= 0; at = (at + 1) & (table_.size() - 1)) {
    if (Same(graph_.nodes[table_[at]], node)) return table_[at];
  }
  table_[at] = static_cast<int>(graph_.nodes.size());
  graph_.nodes.push_back(node);
  return table_[at];
}

namespace {

// Node numbers of a program's value; high is -1 but for 64-bit types.
struct Halves {
  int low = -1, high = -1;
};
Halves Of(F32 v) { return {v.id}; }
Halves Of(I32 v) { return {v.id}; }
Halves Of(M32 v) { return {v.id}; }
template <typename X> Halves Of(Pair<X> v) {
  if constexpr (std::is_same_v<X, M64>) return Of(Narrow(v));
  else return {v.lo.id, v.hi.id};
}

template <typename V> V As(Halves h) {
  if constexpr (std::is_same_v<V, F32> || std::is_same_v<V, I32> || std::is_same_v<V, M32>) return V{h.low};
  else return V{{h.low}, {h.high}};
}

// The condition of a Select as wide as its operands.
template <typename V> auto ConditionFor(M32 m) {
  if constexpr (std::is_same_v<V, F32> || std::is_same_v<V, I32>) return m;
  else return Widen(m);
}

// Applies f(tag) for the vector type of `type`; false for bool.
template <typename F>
bool WithNumbers(VecType type, F f) {
  switch (type) {
    case VecType::kF32: f(F32{}); return true;
    case VecType::kF64: f(Pair<F64>{}); return true;
    case VecType::kI32: f(I32{}); return true;
    case VecType::kI64: f(Pair<I64>{}); return true;
    case VecType::kBool: return false;
  }
  return false;
}

template <typename F>
bool WithFloats(VecType type, F f) {
  if (type == VecType::kF32) f(F32{});
  else if (type == VecType::kF64) f(Pair<F64>{});
  return type == VecType::kF32 || type == VecType::kF64;
}

bool RecordLogical(const Program::Value& v, const Halves* args, Halves& out) {
  const M32 a{args[0].low}, b{args[1].low};
  switch (v.op) {
    case VecOp::kLogicalNot: out = Of(LogicalNot(a)); return true;
    case VecOp::kLogicalAnd: out = Of(LogicalAnd(a, b)); return true;
    case VecOp::kLogicalOr: out = Of(LogicalOr(a, b)); return true;
    case VecOp::kEqual: out = Of(BoolEqual(a, b)); return true;
    case VecOp::kNotEqual: out = Of(BoolNotEqual(a, b)); return true;
    case VecOp::kSelect: out = Of(Pick(a, b, M32{args[2].low})); return true;
    default: return false;
  }
}

bool RecordCast(const Program::Value& v, const Halves* args, Halves& out) {
  if (v.operand_type == VecType::kBool) {
    return WithNumbers(v.type, [&](auto tag) {
      using V = decltype(tag);
      out = Of(OneIf<V>(ConditionFor<V>(M32{args[0].low})));
    });
  }
  return WithNumbers(v.operand_type, [&](auto tag) {
    const auto x = As<decltype(tag)>(args[0]);
    switch (v.type) {
      case VecType::kF32: out = Of(CastTo<float>(x)); return;
      case VecType::kF64: out = Of(CastTo<double>(x)); return;
      case VecType::kI32: out = Of(CastTo<int32_t>(x)); return;
      case VecType::kI64: out = Of(CastTo<int64_t>(x)); return;
      case VecType::kBool: out = Of(NotZero(x)); return;
    }
  });
}

// a, b, c: the operands as vectors of the data type; alpha: the parameter as one.
#define TANDEM_RECORD(with, name, call)                                                              \
  case VecOp::k##name:                                                                               \
    return with(v.operand_type, [&](auto tag) {                                                      \
      using V = decltype(tag);                                                                       \
      [[maybe_unused]] const V a = As<V>(args[0]), b = As<V>(args[1]), c = As<V>(args[2]);           \
      out = Of(call);                                                                                \
    });
#define TANDEM_RECORD_UNARY(with, name) TANDEM_RECORD(with, name, name(a))
#define TANDEM_RECORD_BINARY(with, name) TANDEM_RECORD(with, name, name(a, b))

bool RecordUnary(const Program::Value& v, const Halves* args, Halves& out) {
  switch (v.op) {
    TANDEM_RECORD_UNARY(WithNumbers, Abs)
    TANDEM_RECORD_UNARY(WithNumbers, Neg)
    TANDEM_RECORD_UNARY(WithNumbers, Sign)
    TANDEM_RECORD_UNARY(WithNumbers, Square)
    TANDEM_RECORD_UNARY(WithNumbers, Relu)
    TANDEM_RECORD_UNARY(WithNumbers, Relu6)
    TANDEM_RECORD_UNARY(WithFloats, Sqrt)
    TANDEM_RECORD_UNARY(WithFloats, Rsqrt)
    TANDEM_RECORD_UNARY(WithFloats, Reciprocal)
    TANDEM_RECORD_UNARY(WithFloats, Exp)
    TANDEM_RECORD_UNARY(WithFloats, Expm1)
    TANDEM_RECORD_UNARY(WithFloats, Log)
    TANDEM_RECORD_UNARY(WithFloats, Log1p)
    TANDEM_RECORD_UNARY(WithFloats, Sin)
    TANDEM_RECORD_UNARY(WithFloats, Cos)
    TANDEM_RECORD_UNARY(WithFloats, Tanh)
    TANDEM_RECORD_UNARY(WithFloats, Sigmoid)
    TANDEM_RECORD_UNARY(WithFloats, Erf)
    TANDEM_RECORD_UNARY(WithFloats, Erfc)
    TANDEM_RECORD_UNARY(WithFloats, Floor)
    TANDEM_RECORD_UNARY(WithFloats, Ceil)
    TANDEM_RECORD_UNARY(WithFloats, Round)
    TANDEM_RECORD_UNARY(WithFloats, IsNan)
    TANDEM_RECORD_UNARY(WithFloats, IsInf)
    TANDEM_RECORD_UNARY(WithFloats, IsFinite)
    TANDEM_RECORD_UNARY(WithFloats, Elu)
    TANDEM_RECORD_UNARY(WithFloats, Selu)
    TANDEM_RECORD_UNARY(WithFloats, Softplus)
    TANDEM_RECORD_UNARY(WithFloats, Softsign)
    TANDEM_RECORD(WithFloats, LeakyRelu, LeakyRelu(a, C<V>(v.param)))
    default: return false;
  }
}

bool RecordDivision(const Program::Value& v, const Halves* args, Halves& out) {
  if (v.operand_type == VecType::kI64) return false;
  const auto with = [](VecType type, auto f) {
    if (type == VecType::kI32) f(I32{});
    else return WithFloats(type, f);
    return true;
  };
  const auto with_ints = [](VecType type, auto f) {
    if (type == VecType::kI32) f(I32{});
    return type == VecType::kI32;
  };
  switch (v.op) {
    TANDEM_RECORD_BINARY(with, FloorDiv)
    TANDEM_RECORD_BINARY(with, FloorMod)
    TANDEM_RECORD_BINARY(with_ints, TruncateDiv)
    TANDEM_RECORD_BINARY(with_ints, TruncateMod)
    default: return false;
  }
}

bool RecordBinary(const Program::Value& v, const Halves* args, Halves& out) {
  switch (v.op) {
    TANDEM_RECORD_BINARY(WithNumbers, Add)
    TANDEM_RECORD_BINARY(WithNumbers, Sub)
    TANDEM_RECORD_BINARY(WithNumbers, Mul)
    TANDEM_RECORD_BINARY(WithNumbers, Maximum)
    TANDEM_RECORD_BINARY(WithNumbers, Minimum)
    TANDEM_RECORD_BINARY(WithNumbers, SquaredDifference)
    TANDEM_RECORD_BINARY(WithNumbers, Equal)
    TANDEM_RECORD_BINARY(WithNumbers, NotEqual)
    TANDEM_RECORD_BINARY(WithNumbers, Less)
    TANDEM_RECORD_BINARY(WithNumbers, LessEqual)
    TANDEM_RECORD_BINARY(WithNumbers, Greater)
    TANDEM_RECORD_BINARY(WithNumbers, GreaterEqual)
    TANDEM_RECORD_BINARY(WithNumbers, ReluGrad)
    TANDEM_RECORD_BINARY(WithNumbers, Relu6Grad)
    TANDEM_RECORD_BINARY(WithFloats, Div)
    TANDEM_RECORD_BINARY(WithFloats, DivNoNan)
    TANDEM_RECORD_BINARY(WithFloats, MulNoNan)
    TANDEM_RECORD_BINARY(WithFloats, Xdivy)
    TANDEM_RECORD_BINARY(WithFloats, Xlogy)
    TANDEM_RECORD_BINARY(WithFloats, Pow)
    TANDEM_RECORD_BINARY(WithFloats, SqrtGrad)
    TANDEM_RECORD_BINARY(WithFloats, RsqrtGrad)
    TANDEM_RECORD_BINARY(WithFloats, ReciprocalGrad)
    TANDEM_RECORD_BINARY(WithFloats, TanhGrad)
    TANDEM_RECORD_BINARY(WithFloats, SigmoidGrad)
    TANDEM_RECORD_BINARY(WithFloats, EluGrad)
    TANDEM_RECORD_BINARY(WithFloats, SeluGrad)
    TANDEM_RECORD_BINARY(WithFloats, SoftplusGrad)
    TANDEM_RECORD_BINARY(WithFloats, SoftsignGrad)
    TANDEM_RECORD(WithFloats, LeakyReluGrad, LeakyReluGrad(a, b, C<V>(v.param)))
    default: return RecordDivision(v, args, out);
  }
}

bool RecordTernary(const Program::Value& v, const Halves* args, Halves& out) {
  switch (v.op) {
    TANDEM_RECORD(WithNumbers, ClipByValue, ClipByValue(a, b, c))
    TANDEM_RECORD(WithNumbers, Select, Select(ConditionFor<V>(M32{args[0].low}), b, c))
    default: return false;
  }
}

bool RecordApply(const Program::Value& v, const Halves* args, Halves& out) {
  if (v.op == VecOp::kCast) return RecordCast(v, args, out);
  if (v.operand_type == VecType::kBool) return RecordLogical(v, args, out);
  switch (NumInputs(v.op)) {
    case 1: return RecordUnary(v, args, out);
    case 2: return RecordBinary(v, args, out);
    default: return RecordTernary(v, args, out);
  }
}

Halves RecordInput(Recorder& recorder, const Program::Value& v) {
  constexpr Lane kLanes[kVecTypes] = {Lane::kF32, Lane::kF64, Lane::kI32, Lane::kI64, Lane::kM32};
  const Lane lane = kLanes[static_cast<int>(v.type)];
  const int low = recorder.Add({.op = Prim::kInput, .lane = lane, .operand = lane, .a = v.input});
  const bool wide = LaneBits(lane) == 64;
  return {low, wide ? recorder.Add({.op = Prim::kInput, .lane = lane, .operand = lane, .imm = 1, .a = v.input}) : -1};
}

Halves RecordConstant(Recorder& recorder, const Program::Value& v) {
  constexpr Lane kLanes[kVecTypes] = {Lane::kF32, Lane::kF64, Lane::kI32, Lane::kI64, Lane::kI32};
  const Lane lane = kLanes[static_cast<int>(v.type)];
  const int id = recorder.Add({.op = Prim::kConst, .lane = lane, .operand = lane, .bits = v.bits});
  if (v.type == VecType::kBool) return Of(Ne(I32{id}, I32::Const(0)));
  return {id, LaneBits(lane) == 64 ? id : -1};
}

}  // namespace
}  // namespace recording

namespace {

// Keeps what the outputs need, renumbered in order.
void DropUnused(PrimitiveGraph& graph) {
  const int n = static_cast<int>(graph.nodes.size());
  std::vector<int> number(n, -1);
  for (const GraphOutput& output : graph.outputs) {
    number[output.low] = 0;
    if (output.high >= 0) number[output.high] = 0;
  }
  const auto args = [](const Node& node) {
    struct { int value[3]; } all = {{node.op == Prim::kInput ? -1 : node.a, node.b, node.c}};
    return all;
  };
  for (int i = n - 1; i >= 0; --i) {
    if (number[i] < 0) continue;
    for (const int arg : args(graph.nodes[i]).value) {
      if (arg >= 0) number[arg] = 0;
    }
  }
  int kept = 0;
  for (int i = 0; i < n; ++i) {
    if (number[i] < 0) continue;
    Node node = graph.nodes[i];
    if (node.op != Prim::kInput && node.a >= 0) node.a = number[node.a];
    if (node.b >= 0) node.b = number[node.b];
    if (node.c >= 0) node.c = number[node.c];
    number[i] = kept;
    graph.nodes[kept++] = node;
  }
  graph.nodes.resize(kept);
  for (GraphOutput& output : graph.outputs) {
    output.low = number[output.low];
    if (output.high >= 0) output.high = number[output.high];
  }
}

}  // namespace

std::optional<PrimitiveGraph> RecordProgram(const Program& program, bool has_scale) {
  PrimitiveGraph graph;
  {
    recording::Recorder recorder(graph, has_scale);
    std::vector<recording::Halves> values;
    values.reserve(program.values().size());
    for (const Program::Value& v : program.values()) {
      recording::Halves out;
      if (v.kind == Program::Value::kInput) {
        graph.inputs.push_back({v.type, v.splat});
        out = recording::RecordInput(recorder, v);
      } else if (v.kind == Program::Value::kConstant) {
        out = recording::RecordConstant(recorder, v);
      } else {
        recording::Halves args[3];
        for (int k = 0; k < NumInputs(v.op); ++k) args[k] = values[v.args[k]];
        if (!recording::RecordApply(v, args, out)) return std::nullopt;
      }
      values.push_back(out);
    }
    for (const int output : program.outputs()) {
      graph.outputs.push_back({program.values()[output].type, values[output].low, values[output].high});
    }
  }
  DropUnused(graph);
  return graph;
}

}  // namespace tandem::vec
