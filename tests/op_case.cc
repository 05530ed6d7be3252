#include "tests/op_case.h"

#include <catch2/catch.hpp>

#include <cmath>

#include "core/gradient.h"
#include "core/scopes.h"
#include "eager/gradient_tape.h"
#include "graph/graph.h"
#include "graph/graph_state.h"
#include "graph/session.h"

namespace tandem::op_case {

Tensor F64(std::vector<double> v, const Shape& shape) { return Tensor::FromData<double>(shape, v); }
Tensor F64(std::vector<double> v) { return Tensor(v); }
Tensor I32(std::vector<int32_t> v) { return Tensor(v); }
Tensor I64(std::vector<int64_t> v) { return Tensor(v); }
Tensor ZerosOf(const Shape& shape, DType dtype) { return ZerosOfShape(dtype, shape); }

Expected Want(Tensor one) { return {.want = {std::move(one)}}; }
Expected Want(Tensors all, Tolerance tolerance) { return {.want = std::move(all), .tolerance = tolerance}; }
Expected Error(absl::StatusCode code, std::string message) { return {.code = code, .message = std::move(message)}; }
Expected Agree() { return {}; }

namespace {

// The explicit attributes in schema order.
absl::StatusOr<std::vector<AttrValue>> AttrsOf(const OpCase& c, const OpSchema& schema) {
  std::vector<AttrValue> attrs;
  for (const OpAttr& attr : schema.attrs()) {
    if (attr.explicit_index < 0) continue;
    const OpCase::Attr* given = nullptr;
    for (const OpCase::Attr& a : c.attrs)
      if (a.name == attr.name) given = &a;
    if (!given && !attr.has_default) return InvalidArgument("the row lacks attribute ", attr.name);
    attrs.push_back(given ? given->value : attr.default_value);
  }
  return attrs;
}

// Dispatches the op over inputs to the current context.
absl::StatusOr<Tensors> Call(const OpCase& c, const Tensors& inputs) {
  const OpId id = FindOp(c.op);
  if (id == OpId::kInvalid) return absl::NotFoundError("there is no op " + c.op);
  const OpSchema& schema = GetOp(id);
  ASSIGN_OR_RETURN(const std::vector<AttrValue> attrs, AttrsOf(c, schema));
  std::vector<AttrRef> refs;
  for (const AttrValue& a : attrs) refs.push_back(a.ref());
  std::vector<TensorRep*> reps;
  for (const Tensor& t : inputs) reps.push_back(t.rep());
  auto n = NumOutputs(schema, static_cast<int>(inputs.size()), refs);
  if (!n.ok()) return n.status();
  std::vector<TensorRep*> out(*n, nullptr);
  try {
    RETURN_IF_ERROR(DispatchCall({id, reps, refs, Origin()}, out));
  } catch (...) {
    return StatusFromException(std::current_exception());
  }
  Tensors outputs;
  for (TensorRep* rep : out) outputs.push_back(Tensor::Adopt(rep));
  return outputs;
}

struct Recording {
  Graph graph;
  Tensors placeholders;
  absl::StatusOr<Tensors> outputs = Tensors();
};

// The call in a graph of its own, over placeholders of static or of unknown shape, fed or constant.
Recording Record(const OpCase& c, bool known) {
  Recording r;
  GraphScope scope(r.graph);
  for (size_t i = 0; i < c.inputs.size(); ++i)
    r.placeholders.push_back(Placeholder(c.inputs[i].dtype(), known ? c.inputs[i].shape() : Shape::Unknown(), "in" + std::to_string(i)));
  r.outputs = Call(c, r.placeholders);
  return r;
}

absl::StatusOr<Tensors> RunRecorded(const Recording& r, const OpCase& c, OptLevel level) {
  if (!r.outputs.ok()) return r.outputs.status();
  SessionOptions options;
  options.level = level;
  try {
    Session session(r.graph, options);
    std::vector<Feed> feeds;
    for (size_t i = 0; i < c.inputs.size(); ++i) feeds.push_back({r.placeholders[i], c.inputs[i]});
    return session.RunAll(feeds, std::vector<TensorName>(r.outputs->begin(), r.outputs->end()), {c.op}, {});
  } catch (...) {
    return StatusFromException(std::current_exception());
  }
}

// The message without `; node "…"`; an error of a graph must have it.
std::string WithoutNode(const std::string& message) {
  const size_t at = message.rfind("; node \"");
  return at == message.npos ? message + " (names no node)" : message.substr(0, at);
}

class Report {
 public:
  Report(const OpCase& c) : c_(c) {}
  template <class... Args>
  void Add(const char* mode, const Args&... args) { absl::StrAppend(&text_, c_.op, " \"", c_.name, "\", ", mode, ": ", args..., "\n"); }
  const std::string& text() const { return text_; }

 private:
  const OpCase& c_;
  std::string text_;
};

void CheckMode(const OpCase& c, const char* mode, const absl::StatusOr<Tensors>& got, bool graph, const Tensors* eager, Report& report) {
  const Expected& e = c.expected;
  if (e.code != absl::StatusCode::kOk) {
    if (got.ok()) return report.Add(mode, "ran, want an error");
    const std::string message(got.status().message());
    const std::string text = graph ? WithoutNode(message) : message;
    if (got.status().code() != e.code) report.Add(mode, "code is ", CodeName(static_cast<Code>(got.status().code())), ": ", text);
    if (text != e.message) report.Add(mode, "message is\n  ", text, "\n  want\n  ", e.message);
    return;
  }
  if (!got.ok()) return report.Add(mode, "failed: ", got.status().message());
  if (!e.want.empty() && got->size() != e.want.size()) return report.Add(mode, got->size(), " outputs, want ", e.want.size());
  for (size_t i = 0; i < e.want.size(); ++i) {
    const std::string wrong = Difference((*got)[i], e.want[i], e.tolerance.value_or(DefaultTolerance(e.want[i].dtype())));
    if (!wrong.empty()) report.Add(mode, "output ", i, ": ", wrong);
  }
  for (size_t i = 0; eager && i < eager->size(); ++i) {
    const std::string wrong = DifferentBits((*got)[i], (*eager)[i]);
    if (!wrong.empty()) report.Add(mode, "output ", i, " differs from eager: ", wrong);
  }
}

// What was inferred must fit what came out.
void CheckInferred(const char* mode, const Recording& r, const Tensors& got, Report& report) {
  if (!r.outputs.ok()) return;
  for (size_t i = 0; i < got.size(); ++i) {
    const Tensor& inferred = (*r.outputs)[i];
    if (inferred.dtype() != got[i].dtype() || !inferred.shape().CompatibleWith(got[i].shape()))
      report.Add(mode, "output ", i, " was inferred as ", inferred.shape().ToString(), ", is ", got[i].shape().ToString());
  }
}

}  // namespace

std::string CheckOpCase(const OpCase& c) {
  Report report(c);
  const absl::StatusOr<Tensors> eager = Call(c, c.inputs);
  CheckMode(c, "eager", eager, false, nullptr, report);
  const Tensors* reference = eager.ok() ? &*eager : nullptr;
  const struct {
    const char* name;
    bool known;
    OptLevel level;
  } kModes[] = {{"O0, static shapes", true, OptLevel::kO0}, {"O2, static shapes", true, OptLevel::kO2}, {"O0, unknown shapes", false, OptLevel::kO0},
                {"O2, unknown shapes", false, OptLevel::kO2}};
  for (const auto& mode : kModes) {
    const Recording r = Record(c, mode.known);
    CheckMode(c, mode.name, RunRecorded(r, c, mode.level), true, reference, report);
    if (reference) CheckInferred(mode.name, r, *reference, report);
  }
  return report.text();
}

void CheckOpCases(std::span<const OpCase> cases) {
  for (const OpCase& c : cases) {
    INFO(c.op << " \"" << c.name << "\"");
    CHECK(CheckOpCase(c) == "");
    const OpId id = FindOp(c.op);
    if (c.expected.code == absl::StatusCode::kOk && id != OpId::kInvalid && GetOp(id).differentiable()) CHECK(CheckGradient(c) == "");
  }
}

namespace {

// Sum of all float64 outputs, each weighted so that no symmetry hides an error.
double Scalarised(const Tensors& outputs) {
  double sum = 0;
  for (const Tensor& t : outputs)
    if (t.dtype() == kFloat64)
      for (int64_t i = 0; i < t.size(); ++i) sum += (1 + 0.25 * static_cast<double>(i % 7)) * t.data<double>()[i];
  return sum;
}
Tensor Weights(const Tensor& t) {
  Tensor w = ZerosOfShape(kFloat64, t.shape());
  for (int64_t i = 0; i < t.size(); ++i) w.rep()->as<double>()[i] = 1 + 0.25 * static_cast<double>(i % 7);
  return w;
}

}  // namespace

std::string CheckGradient(const OpCase& c) {
  Tensors sources;
  for (const Tensor& t : c.inputs)
    if (t.dtype() == kFloat64) sources.push_back(t);
  if (sources.empty()) return "";
  GradientTape tape;
  tape.Watch(Sources(sources));
  const absl::StatusOr<Tensors> outputs = Call(c, c.inputs);
  if (!outputs.ok()) return "the forward call fails: " + std::string(outputs.status().message());
  Tensors ys, weights;
  for (const Tensor& t : *outputs) {
    if (t.dtype() != kFloat64) continue;
    ys.push_back(t);
    weights.push_back(Weights(t));
  }
  if (ys.empty()) return "";
  GradientOptions options;
  options.output_gradients = weights;
  options.unconnected = UnconnectedGradients::kZero;
  Tensors got;
  try {
    got = tape.Gradient(ys, Sources(sources), options);
  } catch (const tandem::Error& e) {
    return std::string("the gradient fails: ") + e.what();
  }
  size_t source = 0;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if (c.inputs[i].dtype() != kFloat64) continue;
    const Tensor& dx = got[source++];
    for (int64_t k = 0; k < c.inputs[i].size(); ++k) {
      double sides[2];
      const double x = c.inputs[i].data<double>()[k], h = 1e-6 * std::max(1.0, std::abs(x));
      for (int side = 0; side < 2; ++side) {
        Tensors moved = c.inputs;
        const auto elements = c.inputs[i].data<double>();
        std::vector<double> values(elements.begin(), elements.end());
        values[k] = x + (side ? h : -h);
        moved[i] = Tensor::FromData<double>(c.inputs[i].shape(), values);
        const absl::StatusOr<Tensors> out = Call(c, moved);
        if (!out.ok()) return "the moved call fails: " + std::string(out.status().message());
        sides[side] = Scalarised(*out);
      }
      const double want = (sides[1] - sides[0]) / (2 * h), is = dx.data<double>()[k];
      if (!(std::abs(is - want) <= 1e-5 * std::max(1.0, std::abs(want))))
        return absl::StrCat("d/d(input ", i, ")[", k, "] is ", is, ", differences give ", want);
    }
  }
  return "";
}

}  // namespace tandem::op_case
