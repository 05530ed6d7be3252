#include <charconv>

#include "absl/strings/escaping.h"
#include "core/visit.h"
#include "graph/text.h"

namespace tandem {
namespace {

constexpr int64_t kShown = 32;

std::string ElementText(float v) {
  if (v != v) return "nan";
  char buffer[32];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, v).ptr);
  if (text.find_first_of(".enif") == text.npos) text += '.';
  return text;
}
std::string ElementText(double v) {
  if (v != v) return "nan";
  char buffer[40];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, v).ptr);
  if (text.find_first_of(".enif") == text.npos) text += '.';
  return text;
}
std::string ElementText(Half v) { return ElementText(float(v)); }
std::string ElementText(BFloat16 v) { return ElementText(float(v)); }
template <class T>
std::string ElementText(std::complex<T> v) { return ElementText(v.real()) + "|" + ElementText(v.imag()); }
std::string ElementText(bool v) { return v ? "true" : "false"; }
template <std::integral T>
std::string ElementText(T v) { return std::to_string(v); }

std::string ElementAt(const TensorRep& rep, int64_t i) {
  std::string text;
  if (rep.dtype == kString) return absl::StrCat("\"", absl::CHexEscape(rep.as<std::string>()[i]), "\"");
  VisitNumeric(rep.dtype, [&]<class T>(T) { text = ElementText(rep.as<T>()[i]); });
  return text;
}

void AppendNested(const TensorRep& rep, int axis, int64_t& at, std::string& text) {
  if (axis == rep.rank) {
    text += ElementAt(rep, at++);
    return;
  }
  text += '[';
  for (int64_t i = 0; i < rep.dims()[axis]; ++i) {
    if (i) text += ',';
    AppendNested(rep, axis + 1, at, text);
  }
  text += ']';
}

bool IsInlined(const Node& node) {
  if (node.op != Op<"Const">() || !node.controls.empty() || node.extra) return false;
  const Tensor value = node.attrs[0].ref().get<Tensor>();
  return value.size() <= kShown;
}

// Which attributes the type after the colon says: those of outputs that no input implies; for a Placeholder the shape.
bool SaidByType(const OpSchema& schema, int attr) {
  if (schema.name() == "Placeholder" && schema.attrs()[attr].name == "shape") return true;
  for (const OpArg& out : schema.outputs())
    if (out.type_attr == attr || out.type_list_attr == attr) return schema.attrs()[attr].explicit_index >= 0;
  return false;
}

std::string AttrText(AttrRef attr) {
  if (attr.kind() == AttrKind::kTensor) return LiteralText(attr.get<Tensor>());
  return AttrValue(attr).ToString();
}

void AppendAttrs(const Node& node, std::string& text) {
  std::string attrs;
  for (size_t i = 0; i < node.schema().attrs().size(); ++i) {
    const OpAttr& attr = node.schema().attrs()[i];
    if (attr.explicit_index < 0 || SaidByType(node.schema(), static_cast<int>(i))) continue;
    const AttrRef value = node.attrs[attr.explicit_index].ref();
    if (attr.has_default && SameAttr(value, attr.default_value.ref())) continue;
    absl::StrAppend(&attrs, attrs.empty() ? "" : ", ", attr.name, "=", AttrText(value));
  }
  if (!attrs.empty()) absl::StrAppend(&text, " {", attrs, "}");
}

bool TypeSaysSomething(const OpSchema& schema) {
  for (size_t i = 0; i < schema.attrs().size(); ++i)
    if (SaidByType(schema, static_cast<int>(i))) return true;
  return false;
}

}  // namespace

std::string LiteralText(const Tensor& value) {
  if (!value.defined()) return "none";
  const std::string dtype(DTypeName(value.dtype()));
  if (value.size() > kShown || (DTypeSize(value.dtype()) == 0 && value.dtype() != kString)) return absl::StrCat(dtype, value.shape().ToString(), "{…}");
  if (value.size() == 0) return absl::StrCat(dtype, value.shape().ToString(), "{}");
  std::string text;
  int64_t at = 0;
  AppendNested(*value.rep(), 0, at, text);
  const DType d = value.dtype();
  if (d == kInt32 || d == kFloat32 || d == kBool || d == kString) return text;
  return absl::StrCat(dtype, "(", text, ")");
}

std::string TypesText(std::span<const NodeOutput> outputs) {
  std::string text;
  for (const NodeOutput& out : outputs)
    absl::StrAppend(&text, text.empty() ? "" : ", ", std::string(DTypeName(out.dtype)), out.shape.known_rank() ? out.shape.ToString() : "");
  return text;
}

std::string PrintFunctions(const FunctionLibrary& library, const NodeGraph& graph) {
  std::string text;
  const std::set<std::string> reached = ReachableFunctions(graph, library);
  for (const auto& f : library.All()) {
    if (f->derived && !reached.contains(f->name)) continue;
    if (!f->problem.ok()) {
      absl::StrAppend(&text, "# ", std::string(f->problem.message()), "\n");
      continue;
    }
    absl::StrAppend(&text, "function ", f->name, "(");
    std::vector<bool> is_arg(f->body.size(), false);
    for (size_t i = 0; i < f->args.size(); ++i) {
      const Node& arg = f->body.node(f->args[i]);
      is_arg[f->args[i]] = true;
      absl::StrAppend(&text, i ? ", " : "", std::string(arg.name), " : ", TypesText(arg.outputs));
    }
    text += ") {\n";
    // A result that is a constant must have a line of its own.
    TextOptions options;
    options.fetches = f->results;
    options.mark_fetches = false;
    const std::string body = PrintGraph(f->body, options);
    for (size_t at = 0; at < body.size();) {
      const size_t end = body.find('\n', at);
      const std::string line = body.substr(at, end - at);
      if (line.find(" = _Arg(") == line.npos) absl::StrAppend(&text, "  ", line, "\n");
      at = end + 1;
    }
    text += "  return";
    bool first = true;
    const auto name = [&](const std::string& one) {
      absl::StrAppend(&text, first ? " " : ", ", one);
      first = false;
    };
    for (TensorId t : f->results) name(t.output == 0 ? std::string(f->body.node(t.node).name) : f->body.TensorName(t));
    for (int32_t id : f->control_results) name(absl::StrCat("^", std::string(f->body.node(id).name)));
    text += "\n}\n";
  }
  return text;
}

std::string PrintGraph(const NodeGraph& graph, const TextOptions& options) {
  // A constant keeps its line when it is fetched, or something must wait for it.
  std::vector<bool> own_line(graph.size(), !options.inline_constants), fetched(graph.size(), false);
  for (const TensorId& t : options.fetches) own_line[t.node] = fetched[t.node] = true;
  std::vector<bool> read(graph.size(), false);
  for (const Node& node : graph.nodes()) {
    for (int32_t c : node.controls) own_line[c] = true;
    for (const TensorId& t : node.inputs) read[t.node] = true;
  }
  std::string text;
  for (int32_t id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (!own_line[id] && read[id] && IsInlined(node)) continue;
    absl::StrAppend(&text, std::string(node.name), " = ", node.schema().name(), "(");
    bool first = true;
    const auto argument = [&](const std::string& arg) {
      absl::StrAppend(&text, first ? "" : ", ", arg);
      first = false;
    };
    if (node.op == Op<"Const">()) argument(LiteralText(node.attrs[0].ref().get<Tensor>()));
    for (const TensorId& t : node.inputs) {
      const Node& from = graph.node(t.node);
      if (!own_line[t.node] && IsInlined(from)) argument(LiteralText(from.attrs[0].ref().get<Tensor>()));
      else argument(t.output == 0 ? std::string(from.name) : graph.TensorName(t));
    }
    for (int32_t c : node.controls) argument(absl::StrCat("^", std::string(graph.node(c).name)));
    text += ')';
    if (node.op != Op<"Const">()) {
      AppendAttrs(node, text);
      if (options.types || TypeSaysSomething(node.schema())) absl::StrAppend(&text, " : ", TypesText(node.outputs));
    }
    if (!node.device().empty()) absl::StrAppend(&text, " @\"", std::string(node.device()), "\"");
    if (fetched[id] && options.mark_fetches) text += "   # fetch";
    text += '\n';
  }
  return text;
}

}  // namespace tandem
