#include <algorithm>
#include <charconv>
#include <cstring>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "core/scopes.h"
#include "core/visit.h"
#include "graph/text.h"

namespace tandem {
namespace {

// Tokens of one line. Punctuation is one character; words hold names, numbers and types' names.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : rest_(line) { Skip(); }
  bool AtEnd() const { return rest_.empty(); }
  char Peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool Take(char c) {
    if (Peek() != c) return false;
    rest_.remove_prefix(1);
    Skip();
    return true;
  }
  // Letters, digits and what names, numbers and tensors' names have beside them.
  std::string_view Word() {
    size_t n = 0;
    while (n < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[n])) || std::strchr("_./-:>^+|?", rest_[n]))) ++n;
    const std::string_view word = rest_.substr(0, n);
    rest_.remove_prefix(n);
    Skip();
    return word;
  }
  absl::StatusOr<std::string> Quoted() {
    size_t n = 1;
    while (n < rest_.size() && rest_[n] != '"') n += rest_[n] == '\\' ? 2 : 1;
    std::string text;
    if (Peek() != '"' || n >= rest_.size() || !absl::CUnescape(Absl(rest_.substr(1, n - 1)), &text)) return InvalidArgument("expected a quoted text at ", Where());
    rest_.remove_prefix(n + 1);
    Skip();
    return text;
  }
  std::string Where() const { return rest_.empty() ? "the end of the line" : absl::StrCat("\"", Absl(rest_.substr(0, 20)), "\""); }

 private:
  void Skip() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

// A literal as it is written: elements as text, row-major, and what was said of dtype and shape.
struct Literal {
  std::vector<std::string> elements;
  Shape shape;
  DType dtype = DType::kInvalid;
  bool quoted = false;
};

absl::Status ParseNested(Cursor& at, int depth, Literal& out) {
  if (!at.Take('[')) {
    if (at.Peek() == '"') {
      ASSIGN_OR_RETURN(std::string text, at.Quoted());
      out.quoted = true;
      out.elements.push_back(std::move(text));
    } else {
      out.elements.emplace_back(at.Word());
      if (out.elements.back().empty()) return InvalidArgument("expected a value at ", at.Where());
    }
    return absl::OkStatus();
  }
  int64_t n = 0;
  while (!at.Take(']')) {
    if (n++ && !at.Take(',')) return InvalidArgument("expected , or ] at ", at.Where());
    RETURN_IF_ERROR(ParseNested(at, depth + 1, out));
  }
  // Inner lists set their axis first; axes are gathered from the inside out, and later ones must agree.
  if (depth >= 8) return InvalidArgument("a literal nested more than 8 deep");
  while (out.shape.rank() <= depth) out.shape.push_back(kUnknownDim);
  if (out.shape[depth] >= 0 && out.shape[depth] != n) return InvalidArgument("a ragged literal: ", out.shape[depth], " and ", n, " elements");
  out.shape[depth] = n;
  return absl::OkStatus();
}

template <class T>
bool ParseNumber(const std::string& text, T* value) {
  if constexpr (std::same_as<T, bool>) {
    *value = text == "true";
    return text == "true" || text == "false";
  } else if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) {
    float f;
    if (!ParseNumber(text, &f)) return false;
    *value = T(f);
    return true;
  } else if constexpr (std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>) {
    const size_t bar = text.find('|');
    typename T::value_type re, im = 0;
    if (!ParseNumber(text.substr(0, bar), &re) || (bar != text.npos && !ParseNumber(text.substr(bar + 1), &im))) return false;
    *value = T(re, im);
    return true;
  } else {
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, *value);
    return read.ec == std::errc() && read.ptr == end;
  }
}

absl::StatusOr<Tensor> ToTensor(const Literal& literal) {
  DType dtype = literal.dtype;
  if (dtype == DType::kInvalid) {
    const auto all = [&](auto test) { return std::all_of(literal.elements.begin(), literal.elements.end(), test); };
    if (literal.quoted) dtype = kString;
    else if (all([](const std::string& e) { return e == "true" || e == "false"; }) && !literal.elements.empty()) dtype = kBool;
    else if (all([](const std::string& e) { return e.find_first_of(".enai") == e.npos; })) dtype = kInt32;
    else dtype = kFloat32;
  }
  const auto count = literal.shape.num_elements();
  if (!count || *count != static_cast<int64_t>(literal.elements.size()))
    return InvalidArgument("a literal of ", literal.elements.size(), " elements, its shape is ", literal.shape.ToString());
  TensorRep* rep = NewRep(dtype, literal.shape.dims(), *count);
  if (!rep) return absl::ResourceExhaustedError("no memory for a literal");
  Tensor t = Tensor::Adopt(rep);
  bool good = true;
  if (dtype == kString) {
    for (int64_t i = 0; i < *count; ++i) rep->as<std::string>()[i] = literal.elements[i];
  } else {
    const bool number = VisitNumeric(dtype, [&]<class T>(T) {
      for (int64_t i = 0; i < *count; ++i) good = good && ParseNumber(literal.elements[i], &rep->as<T>()[i]);
    });
    if (!number || !good) return InvalidArgument("a literal that is no ", Absl(DTypeName(dtype)), ": ", literal.elements.empty() ? "" : literal.elements[0]);
  }
  return t;
}

absl::StatusOr<Shape> ParseShape(Cursor& at) {
  Shape shape;
  if (!at.Take('[')) return Shape::Unknown();
  while (!at.Take(']')) {
    if (shape.rank() && !at.Take(',')) return InvalidArgument("expected , or ] at ", at.Where());
    const std::string word(at.Word());
    int64_t dim = -1;
    if (word != "?" && (!ParseNumber(word, &dim) || dim < 0)) return InvalidArgument("expected a dimension at ", at.Where());
    shape.push_back(dim);
  }
  return shape;
}

// A literal whose first word was read already when it began with one.
absl::StatusOr<Tensor> ParseLiteral(Cursor& at, std::string_view word) {
  Literal literal;
  const DType dtype = DTypeFromName(word);
  if (dtype != DType::kInvalid && at.Peek() == '[') {  // float32[0,3]{}
    ASSIGN_OR_RETURN(literal.shape, ParseShape(at));
    if (!at.Take('{') || !at.Take('}')) return InvalidArgument("a constant whose elements were left out cannot be read");
    literal.dtype = dtype;
    return ToTensor(literal);
  }
  if (dtype != DType::kInvalid && at.Take('(')) {
    RETURN_IF_ERROR(ParseNested(at, 0, literal));
    literal.dtype = dtype;
    if (!at.Take(')')) return InvalidArgument("expected ) at ", at.Where());
    return ToTensor(literal);
  }
  if (!word.empty()) literal.elements.emplace_back(word);
  else RETURN_IF_ERROR(ParseNested(at, 0, literal));
  return ToTensor(literal);
}

template <class T, class F>
absl::StatusOr<AttrValue> ParseAttrList(Cursor& at, F one) {
  std::vector<T> list;
  if (!at.Take('[')) return InvalidArgument("expected [ at ", at.Where());
  while (!at.Take(']')) {
    if (!list.empty() && !at.Take(',')) return InvalidArgument("expected , or ] at ", at.Where());
    auto item = one();
    if (!item.ok()) return item.status();
    list.push_back(*std::move(item));
  }
  return AttrValue(AttrValue::Variant(std::move(list)));
}

absl::StatusOr<AttrValue> ParseAttr(Cursor& at, AttrKind kind) {
  using V = AttrValue::Variant;
  const auto number = [&]<class T>(T value) -> absl::StatusOr<T> {
    const std::string word(at.Word());
    if (!ParseNumber(word, &value)) return InvalidArgument("\"", word, "\" is no ", Absl(AttrKindName(kind)));
    return value;
  };
  const auto type = [&]() -> absl::StatusOr<DType> {
    const std::string_view word = at.Word();
    const DType d = DTypeFromName(word);
    if (d == DType::kInvalid) return InvalidArgument("\"", Absl(word), "\" is no dtype");
    return d;
  };
  const auto function = [&]() -> absl::StatusOr<FuncAttr> {
    FuncAttr f;
    f.name = at.Word();
    if (f.name.empty()) return InvalidArgument("expected a function's name at ", at.Where());
    return f;
  };
  const auto shape = [&]() -> absl::StatusOr<Shape> {
    if (at.Take('<')) {
      at.Word();
      return at.Take('>') ? absl::StatusOr<Shape>(Shape::Unknown()) : InvalidArgument("expected > at ", at.Where());
    }
    return ParseShape(at);
  };
  const auto wrap = [](auto one) -> absl::StatusOr<AttrValue> {
    if (!one.ok()) return one.status();
    return AttrValue(V(*std::move(one)));
  };
  switch (kind) {
    case AttrKind::kInt: return wrap(number(int64_t{}));
    case AttrKind::kFloat: return wrap(number(float{}));
    case AttrKind::kBool: return wrap(number(bool{}));
    case AttrKind::kType: return wrap(type());
    case AttrKind::kString: return wrap(at.Quoted());
    case AttrKind::kShape: return wrap(shape());
    case AttrKind::kTensor: return wrap(ParseLiteral(at, at.Peek() == '[' || at.Peek() == '"' ? std::string_view() : at.Word()));
    case AttrKind::kIntList: return ParseAttrList<int64_t>(at, [&] { return number(int64_t{}); });
    case AttrKind::kFloatList: return ParseAttrList<float>(at, [&] { return number(float{}); });
    case AttrKind::kTypeList: return ParseAttrList<DType>(at, type);
    case AttrKind::kFunc: return wrap(function());
    case AttrKind::kFuncList: return ParseAttrList<FuncAttr>(at, function);
    case AttrKind::kStringList: return ParseAttrList<std::string>(at, [&] { return at.Quoted(); });
    case AttrKind::kShapeList: return ParseAttrList<Shape>(at, shape);
    default: return InvalidArgument("an attribute of kind ", Absl(AttrKindName(kind)), " has no text form");
  }
}

// One line, as far as it can be read alone.
struct Line {
  int number = 0;
  std::vector<std::string> inputs;          // "a:1", "^b"; a literal's is the name of the Const made for it
  std::vector<std::pair<std::string, AttrValue>> attrs;
  std::vector<NodeOutput> types;
  bool typed = false, fetch = false, target = false;
};

class Parser {
 public:
  explicit Parser(std::shared_ptr<FunctionLibrary> library) {
    parsed_.graph.set_library(library.get());
    parsed_.library = std::move(library);
  }

  // Lines from first_line on; within a function they end at its return.
  absl::StatusOr<ParsedGraph> Parse(std::string_view text) {
    int number = 0;
    RETURN_IF_ERROR(ReadLines(text, number));
    RETURN_IF_ERROR(CheckCalls());
    RETURN_IF_ERROR(Build());
    return std::move(parsed_);
  }

 private:
  static std::string_view NextLine(std::string_view& text, int& number) {
    ++number;
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
  }
  absl::Status ReadLines(std::string_view& text, int& number) {
    while (!text.empty()) {
      const std::string_view line = NextLine(text, number);
      Cursor at(line);
      absl::Status status;
      if (line.find('=') == line.npos || line.find('{') < line.find('=')) {
        const std::string_view word = at.Word();
        if (word == "function") {
          const int first = number;
          status = ParseFunction(at, text, number);
          if (!status.ok() && !absl::StartsWith(status.message(), "line ")) return InvalidArgument("line ", first, ": ", status.message());
          RETURN_IF_ERROR(status);
          continue;
        }
        if (word == "return" && is_function_) {
          returns_ = std::string(line.substr(line.find("return") + 6));
          number_of_return_ = number;
          while (!text.empty()) {
            Cursor end(NextLine(text, number));
            if (end.Take('}')) return absl::OkStatus();
          }
          return InvalidArgument("line ", number, ": expected } behind return");
        }
      }
      if (status = ParseLine(line, number); !status.ok()) return InvalidArgument("line ", number, ": ", status.message());
    }
    if (is_function_) return InvalidArgument("line ", number, ": the function has no return");
    return absl::OkStatus();
  }

  // function f(x : float32[2], n : int32[]) {
  absl::Status ParseFunction(Cursor& at, std::string_view& text, int& number) {
    Parser body(parsed_.library);
    body.is_function_ = true;
    auto function = std::make_shared<GraphFunction>();
    function->name = at.Word();
    if (function->name.empty() || !at.Take('(')) return InvalidArgument("expected a function's name and ( at ", at.Where());
    while (!at.Take(')')) {
      if (!function->args.empty() && !at.Take(',')) return InvalidArgument("expected , or ) at ", at.Where());
      const std::string name(at.Word());
      if (!IsNodeName(name) || !at.Take(':')) return InvalidArgument("expected an argument and its type at ", at.Where());
      const DType dtype = DTypeFromName(at.Word());
      if (dtype == DType::kInvalid) return InvalidArgument("argument ", name, " has no dtype");
      ASSIGN_OR_RETURN(Shape shape, ParseShape(at));
      ASSIGN_OR_RETURN(const int32_t id, body.AddNode(Op<"_Arg">(), name, number));
      body.lines_[id].attrs = {{"T", AttrValue(AttrRef(dtype))}, {"index", AttrValue(AttrRef(static_cast<int64_t>(function->args.size())))}};
      body.arg_shapes_.push_back(std::move(shape));
      function->args.push_back(id);
      function->arg_types.push_back(dtype);
    }
    if (!at.Take('{')) return InvalidArgument("expected { at ", at.Where());
    RETURN_IF_ERROR(body.ReadLines(text, number));
    RETURN_IF_ERROR(body.Build());
    Cursor results{body.returns_.substr(0, body.returns_.find('#'))};
    while (!results.AtEnd()) {
      if (!(function->results.empty() && function->control_results.empty()) && !results.Take(',')) return InvalidArgument("line ", body.number_of_return_, ": expected , at ", results.Where());
      std::string_view name = results.Word();
      const bool control = name.starts_with('^');
      if (control) name.remove_prefix(1);
      int32_t output = 0;
      if (const size_t colon = name.rfind(':'); colon != name.npos) {
        if (!ParseNumber(std::string(name.substr(colon + 1)), &output) || output < 0) return InvalidArgument("line ", body.number_of_return_, ": \"", Absl(name), "\" names no tensor");
        name = name.substr(0, colon);
      }
      const auto from = body.ids_.find(Absl(name));
      if (from == body.ids_.end()) return InvalidArgument("line ", body.number_of_return_, ": there is no \"", Absl(name), "\" to return");
      if (control) {
        function->control_results.push_back(from->second);
        function->control_names.emplace_back(name);
        continue;
      }
      const auto& outputs = body.parsed_.graph.node(from->second).outputs;
      if (output >= static_cast<int32_t>(outputs.size())) return InvalidArgument("line ", body.number_of_return_, ": \"", Absl(name), "\" has ", outputs.size(), " outputs");
      function->result_names.push_back(function->results.empty() ? "output" : absl::StrCat("output_", function->results.size()));
      function->results.push_back({from->second, output});
      function->result_types.push_back(outputs[output].dtype);
    }
    ASSIGN_OR_RETURN(function->order, body.parsed_.graph.TopologicalOrder());
    function->body = std::move(body.parsed_.graph);
    return parsed_.library->Add({function});
  }

  // A function may call one that comes later: what the op says is all that is known of its results until then.
  absl::Status InferWithoutCallee(int32_t id) {
    Node& node = parsed_.graph.node(id);
    const auto inputs = parsed_.graph.InferInputs(node);
    const auto attrs = node.attr_refs();
    InferContext infer(node.schema(), inputs, attrs);
    RETURN_IF_ERROR(infer.Run());
    NodeGraph::StoreOutputs(infer, node);
    return absl::OkStatus();
  }
  absl::Status CheckCalls() {
    for (const auto& f : parsed_.library->All())
      for (const Node& node : f->body.nodes()) {
        if (!CallsFunctions(node.schema())) continue;
        Node copy = node;
        if (absl::Status status = f->body.Infer(copy); !status.ok()) return absl::Status(status.code(), absl::StrCat("function \"", f->name, "\": ", status.message()));
      }
    return absl::OkStatus();
  }

  absl::Status Build() {
    for (int32_t id = 0; id < static_cast<int32_t>(lines_.size()); ++id)
      if (absl::Status status = Connect(id); !status.ok()) return InvalidArgument("line ", lines_[id].number, ": ", status.message());
    ASSIGN_OR_RETURN(const std::vector<int32_t> order, parsed_.graph.TopologicalOrder());
    for (int32_t id : order) {
      if (absl::Status status = Infer(id); !status.ok()) return absl::Status(status.code(), absl::StrCat("line ", lines_[id].number, ": ", status.message()));
    }
    for (int32_t id = 0; id < static_cast<int32_t>(lines_.size()); ++id) {
      if (lines_[id].fetch && parsed_.graph.node(id).outputs.empty()) return InvalidArgument("line ", lines_[id].number, ": nothing to fetch");
      if (lines_[id].fetch) parsed_.fetches.push_back({id, 0});
      if (lines_[id].target) parsed_.targets.push_back(id);
    }
    return absl::OkStatus();
  }

  absl::Status ParseLine(std::string_view text, int number);
  absl::Status ParseInputs(Cursor& at, const std::string& name, Line& line);
  absl::Status ParseAttrs(Cursor& at, const OpSchema& schema, Line& line);
  absl::Status ParseTypes(Cursor& at, Line& line);
  absl::Status Connect(int32_t id);
  absl::Status Infer(int32_t id);
  absl::StatusOr<int32_t> AddNode(OpId op, const std::string& name, int number) {
    const int32_t id = parsed_.graph.Add(op, name);
    if (!ids_.emplace(name, id).second) return InvalidArgument("a second node \"", name, "\"");
    lines_.emplace_back().number = number;
    return id;
  }

  ParsedGraph parsed_;
  std::vector<Line> lines_;  // by node
  absl::flat_hash_map<std::string, int32_t> ids_;
  // In a function:
  bool is_function_ = false;
  std::vector<Shape> arg_shapes_;  // of its first nodes
  std::string returns_;            // what stands behind return
  int number_of_return_ = 0;
};

absl::Status Parser::ParseLine(std::string_view text, int number) {
  // A comment begins at a # outside quotes.
  bool quoted = false;
  size_t hash = text.size();
  for (size_t i = 0; i < text.size() && hash == text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    if (text[i] == '#' && !quoted) hash = i;
  }
  const std::string_view comment = text.substr(hash);
  Cursor at(text.substr(0, hash));
  if (at.AtEnd()) return absl::OkStatus();
  const std::string name(at.Word());
  if (!IsNodeName(name)) return InvalidArgument("\"", name, "\" is no name for a node");
  if (!at.Take('=')) return InvalidArgument("expected = at ", at.Where());
  const std::string_view op_name = at.Word();
  const OpId op = FindOp(op_name);
  if (op == OpId::kInvalid) return InvalidArgument("there is no op \"", Absl(op_name), "\"");
  Line line;
  line.number = number;
  line.fetch = comment.find("fetch") != comment.npos;
  line.target = comment.find("target") != comment.npos;
  if (!at.Take('(')) return InvalidArgument("expected ( at ", at.Where());
  if (op == Op<"Const">() && at.Peek() != ')' && at.Peek() != '^') {
    ASSIGN_OR_RETURN(Tensor value, ParseLiteral(at, at.Peek() == '[' || at.Peek() == '"' ? std::string_view() : at.Word()));
    line.attrs = {{"value", AttrValue(AttrRef(value))}, {"dtype", AttrValue(AttrRef(value.dtype()))}};
    at.Take(',');
  }
  RETURN_IF_ERROR(ParseInputs(at, name, line));
  if (at.Take('{')) RETURN_IF_ERROR(ParseAttrs(at, GetOp(op), line));
  std::string device;
  while (!at.AtEnd()) {
    if (at.Take('@')) {
      ASSIGN_OR_RETURN(device, at.Quoted());
    } else if (at.Take(':')) {
      RETURN_IF_ERROR(ParseTypes(at, line));
    } else {
      return InvalidArgument("expected the end of the line at ", at.Where());
    }
  }
  ASSIGN_OR_RETURN(const int32_t id, AddNode(op, name, number));
  lines_[id] = std::move(line);
  if (!device.empty()) {
    auto extra = std::make_shared<NodeExtra>();
    extra->device = device;
    parsed_.graph.node(id).extra = std::move(extra);
  }
  return absl::OkStatus();
}

absl::Status Parser::ParseInputs(Cursor& at, const std::string& name, Line& line) {
  while (!at.Take(')')) {
    if (!line.inputs.empty() && !at.Take(',')) return InvalidArgument("expected , or ) at ", at.Where());
    const bool bracket = at.Peek() == '[' || at.Peek() == '"';
    const std::string_view word = bracket ? std::string_view() : at.Word();
    if (!bracket && word.empty()) return InvalidArgument("expected an input at ", at.Where());
    const bool number = !word.empty() && (std::isdigit(static_cast<unsigned char>(word[0])) || word[0] == '-' || word[0] == '+' || word == "true" || word == "false" || word == "nan" || word == "inf");
    const bool typed = !bracket && (at.Peek() == '(' || at.Peek() == '[');
    if (!bracket && !number && !typed) {
      line.inputs.emplace_back(word);
      continue;
    }
    ASSIGN_OR_RETURN(Tensor value, ParseLiteral(at, word));
    const std::string constant = absl::StrCat(name, "/Const_", line.inputs.size());
    ASSIGN_OR_RETURN(const int32_t id, AddNode(Op<"Const">(), constant, line.number));
    lines_[id].attrs = {{"value", AttrValue(AttrRef(value))}, {"dtype", AttrValue(AttrRef(value.dtype()))}};
    line.inputs.push_back(constant);
  }
  return absl::OkStatus();
}

absl::Status Parser::ParseAttrs(Cursor& at, const OpSchema& schema, Line& line) {
  while (!at.Take('}')) {
    if (!line.attrs.empty() && !at.Take(',')) return InvalidArgument("expected , or } at ", at.Where());
    const std::string name(at.Word());
    const int i = schema.FindAttr(std::string_view(name));
    if (i < 0) return InvalidArgument(schema.name(), " has no attribute \"", name, "\"");
    if (!at.Take('=')) return InvalidArgument("expected = at ", at.Where());
    auto value = ParseAttr(at, schema.attrs()[i].kind);
    if (!value.ok()) return InvalidArgument("attribute ", name, ": ", value.status().message());
    line.attrs.emplace_back(name, *std::move(value));
  }
  return absl::OkStatus();
}

absl::Status Parser::ParseTypes(Cursor& at, Line& line) {
  line.typed = true;
  do {
    const std::string_view word = at.Word();
    NodeOutput type;
    type.dtype = DTypeFromName(word);
    if (type.dtype == DType::kInvalid) return InvalidArgument("\"", Absl(word), "\" is no dtype");
    ASSIGN_OR_RETURN(type.shape, ParseShape(at));
    line.types.push_back(std::move(type));
  } while (at.Take(','));
  return absl::OkStatus();
}

// Inputs by name to ids, attributes into schema order: given, said by the type, or the default.
absl::Status Parser::Connect(int32_t id) {
  Line& line = lines_[id];
  Node& node = parsed_.graph.node(id);
  for (const std::string& text : line.inputs) {
    std::string_view name = text;
    const bool control = name.starts_with('^');
    if (control) name.remove_prefix(1);
    int32_t output = 0;
    if (const size_t colon = name.rfind(':'); colon != name.npos) {
      if (!ParseNumber(std::string(name.substr(colon + 1)), &output) || output < 0) return InvalidArgument("\"", text, "\" names no tensor");
      name = name.substr(0, colon);
    }
    const auto from = ids_.find(Absl(name));
    if (from == ids_.end()) return InvalidArgument("input \"", text, "\" is not there");
    if (control) node.controls.push_back(from->second);
    else node.inputs.push_back({from->second, output});
  }
  const OpSchema& schema = node.schema();
  for (size_t i = 0; i < schema.attrs().size(); ++i) {
    const OpAttr& attr = schema.attrs()[i];
    if (attr.explicit_index < 0) continue;
    const auto given = std::find_if(line.attrs.begin(), line.attrs.end(), [&](const auto& a) { return a.first == attr.name; });
    AttrValue value;
    if (given != line.attrs.end()) value = given->second;
    else if (node.op == Op<"Placeholder">() && attr.name == "shape" && line.typed) value = AttrValue(AttrRef(line.types[0].shape));
    size_t position = 0;
    for (const OpArg& out : schema.outputs()) {
      if (value.kind() != AttrKind::kNone || !line.typed) break;
      if (out.type_attr == static_cast<int>(i) && position < line.types.size()) value = AttrValue(AttrRef(line.types[position].dtype));
      if (out.type_list_attr == static_cast<int>(i)) {
        std::vector<DType> types;
        for (size_t k = position; k < line.types.size(); ++k) types.push_back(line.types[k].dtype);
        value = AttrValue(AttrValue::Variant(std::move(types)));
      }
      ++position;
    }
    if (value.kind() == AttrKind::kNone) {
      if (!attr.has_default) return InvalidArgument(schema.name(), ": attribute ", attr.name, " is missing and has no default");
      value = attr.default_value;
    }
    node.attrs.push_back(std::move(value));
  }
  return absl::OkStatus();
}

absl::Status Parser::Infer(int32_t id) {
  const Line& line = lines_[id];
  for (const TensorId& t : parsed_.graph.node(id).inputs)
    if (t.output >= static_cast<int32_t>(parsed_.graph.node(t.node).outputs.size()))
      return InvalidArgument("there is no output ", parsed_.graph.TensorName(t));
  absl::Status status = parsed_.graph.InferNode(id);
  if (is_function_ && absl::IsNotFound(status)) status = InferWithoutCallee(id);
  RETURN_IF_ERROR(status);
  if (id < static_cast<int32_t>(arg_shapes_.size())) parsed_.graph.node(id).outputs[0].shape = arg_shapes_[id];
  if (!line.typed) return absl::OkStatus();
  const auto& outputs = parsed_.graph.node(id).outputs;
  bool same = outputs.size() == line.types.size();
  for (size_t i = 0; same && i < outputs.size(); ++i)
    same = outputs[i].dtype == line.types[i].dtype && outputs[i].shape.CompatibleWith(line.types[i].shape);
  if (!same) return InvalidArgument("the type is ", TypesText(outputs), ", not ", TypesText({line.types.data(), line.types.size()}));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ParsedGraph> ParseGraphText(std::string_view text) { return Parser(std::make_shared<FunctionLibrary>()).Parse(text); }

}  // namespace tandem
