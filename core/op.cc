#include "core/op.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tandem {
namespace {

std::string_view Strip(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

// Splits at `separator`, but not inside brackets or quotes.
std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool quoted = false;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == ')') --depth;
    if (c == separator && depth == 0) {
      parts.push_back(Strip(text.substr(start, i - start)));
      start = i + 1;
    }
  }
  if (!Strip(text.substr(start)).empty()) parts.push_back(Strip(text.substr(start)));
  return parts;
}

AttrKind KindFromName(std::string_view name) {
  for (int k = 1; k <= static_cast<int>(AttrKind::kFuncList); ++k)
    if (AttrKindName(static_cast<AttrKind>(k)) == name) return static_cast<AttrKind>(k);
  return AttrKind::kNone;
}

std::string Unquoted(std::string_view text) {
  std::string out;
  if (text.size() >= 2) absl::CUnescape(absl::string_view(text.data() + 1, text.size() - 2), &out);
  return out;
}

double Number(std::string_view text) {
  double d = 0;
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  (void)absl::SimpleAtod(absl::string_view(text.data(), text.size()), &d);
  return d;
}
int64_t Integer(std::string_view text) {
  int64_t i = 0;
  (void)absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &i);
  return i;
}
Shape ParseShape(std::string_view text) {
  if (text == "<unknown>" || text.size() < 2) return Shape::Unknown();
  std::vector<int64_t> dims;
  for (std::string_view d : Split(text.substr(1, text.size() - 2), ',')) dims.push_back(d == "?" ? -1 : Integer(d));
  return Shape(std::span<const int64_t>(dims));
}

template <class T, class F>
std::vector<T> ParseList(std::string_view text, F one) {
  std::vector<T> list;
  if (text.size() >= 2)
    for (std::string_view item : Split(text.substr(1, text.size() - 2), ',')) list.push_back(one(item));
  return list;
}

AttrValue ParseValue(AttrKind kind, std::string_view t) {
  using V = AttrValue::Variant;
  switch (kind) {
    case AttrKind::kInt: return AttrValue(V(Integer(t)));
    case AttrKind::kFloat: return AttrValue(V(static_cast<float>(Number(t))));
    case AttrKind::kBool: return AttrValue(V(t == "true"));
    case AttrKind::kType: return AttrValue(V(DTypeFromName(t)));
    case AttrKind::kString: return AttrValue(V(Unquoted(t)));
    case AttrKind::kShape: return AttrValue(V(ParseShape(t)));
    case AttrKind::kIntList: return AttrValue(V(ParseList<int64_t>(t, Integer)));
    case AttrKind::kFloatList: return AttrValue(V(ParseList<float>(t, [](auto s) { return static_cast<float>(Number(s)); })));
    case AttrKind::kTypeList: return AttrValue(V(ParseList<DType>(t, DTypeFromName)));
    case AttrKind::kStringList: return AttrValue(V(ParseList<std::string>(t, Unquoted)));
    case AttrKind::kShapeList: return AttrValue(V(ParseList<Shape>(t, ParseShape)));
    case AttrKind::kBoolList: return AttrValue(V(AttrValue::BoolList{ParseList<char>(t, [](auto s) { return char{s == "true"}; })}));
    case AttrKind::kFuncList: return AttrValue(V(std::vector<FuncAttr>{}));
    case AttrKind::kTensorList: return AttrValue(V(std::vector<Tensor>{}));
    default: return AttrValue();
  }
}

}  // namespace

OpSchema::OpSchema(std::string name, std::string documentation)
    : name_(std::move(name)), documentation_(std::move(documentation)) {}

void OpSchema::ParseAttrs(std::string_view text) {
  for (std::string_view item : Split(text, ';')) {
    OpAttr attr;
    const size_t colon = item.find(':');
    if (colon == item.npos) {
      error_ = absl::StrCat("attribute without a type: ", std::string(item));
      return;
    }
    attr.name = item.substr(0, colon);
    attr.hash = AttrName::Hash(attr.name);
    std::string_view rest = item.substr(colon + 1);
    const size_t type_end = std::min(rest.find_first_of(">={"), rest.size());
    attr.kind = KindFromName(Strip(rest.substr(0, type_end)));
    if (attr.kind == AttrKind::kNone) error_ = absl::StrCat("attribute of an unknown type: ", std::string(item));
    rest.remove_prefix(type_end);
    if (rest.starts_with(">=")) {
      const size_t end = std::min(rest.find_first_of("={", 2), rest.size());
      attr.has_minimum = true;
      attr.minimum = Integer(rest.substr(2, end - 2));
      rest.remove_prefix(end);
    }
    if (rest.starts_with("=")) {
      // The default ends where the set of allowed values begins; neither strings nor lists of defaults hold a brace.
      const size_t end = std::min(rest.find('{'), rest.size());
      attr.has_default = true;
      attr.default_value = ParseValue(attr.kind, Strip(rest.substr(1, end - 1)));
      rest.remove_prefix(end);
    }
    if (rest.size() >= 2 && rest.front() == '{') {
      const auto allowed = Split(rest.substr(1, rest.size() - 2), ',');
      if (attr.kind == AttrKind::kType || attr.kind == AttrKind::kTypeList) {
        attr.any_type = false;
        attr.allowed_types = 0;
        for (std::string_view t : allowed) attr.allowed_types |= uint64_t{1} << static_cast<int>(DTypeFromName(t));
      } else {
        for (std::string_view t : allowed) attr.allowed_strings.push_back(Unquoted(t));
      }
    }
    attrs_.push_back(std::move(attr));
  }
}

void OpSchema::ParseArgs(std::string_view text, std::vector<OpArg>& args) {
  for (std::string_view item : Split(text, ',')) {
    OpArg arg;
    const size_t colon = item.find(':');
    if (colon == item.npos) {
      error_ = absl::StrCat("argument without a type: ", std::string(item));
      return;
    }
    arg.name = item.substr(0, colon);
    std::string_view type = Strip(item.substr(colon + 1));
    if (type.starts_with("Ref(")) {
      arg.is_ref = true;
      type = type.substr(4, type.size() - 5);
    }
    if (type.starts_with("list(")) {
      arg.type_list_attr = FindAttr(type.substr(5, type.size() - 6));
      if (arg.type_list_attr < 0) error_ = absl::StrCat("no attribute for ", std::string(item));
    } else {
      if (const size_t star = type.find('*'); star != type.npos) {
        arg.number_attr = FindAttr(Strip(type.substr(0, star)));
        if (arg.number_attr < 0) error_ = absl::StrCat("no attribute for ", std::string(item));
        type = Strip(type.substr(star + 1));
      }
      arg.type_attr = FindAttr(type);
      if (arg.type_attr < 0) arg.dtype = DTypeFromName(type);
      if (arg.type_attr < 0 && arg.dtype == DType::kInvalid) error_ = absl::StrCat("no such type: ", std::string(item));
    }
    args.push_back(std::move(arg));
  }
}

OpSchema&& OpSchema::Signature(std::string_view inputs, std::string_view outputs, std::string_view attrs) && {
  inputs_text_ = inputs;
  outputs_text_ = outputs;
  attrs_text_ = attrs;
  ParseAttrs(attrs);
  ParseArgs(inputs, inputs_);
  ParseArgs(outputs, outputs_);
  // What inputs imply is not passed: type attrs of inputs, N of lists, and the dtypes of the only list(Ts).
  std::vector<bool> implied(attrs_.size(), false);
  int type_lists = 0, number_lists = 0;
  for (const OpArg& arg : inputs_) {
    type_lists += arg.type_list_attr >= 0;
    number_lists += arg.number_attr >= 0;
  }
  for (const OpArg& arg : inputs_) {
    if (arg.type_attr >= 0) implied[arg.type_attr] = true;
    if (arg.number_attr >= 0 && type_lists == 0) implied[arg.number_attr] = true;
    if (arg.type_list_attr >= 0 && type_lists == 1 && number_lists == 0) implied[arg.type_list_attr] = true;
    if (arg.is_list()) plain_ = false;
  }
  for (const OpArg& arg : outputs_)
    if (arg.is_list()) plain_ = false;
  // A list may be empty: then its type attr must come from elsewhere, so it stays implied only through its elements.
  for (size_t i = 0; i < attrs_.size(); ++i)
    if (!implied[i]) attrs_[i].explicit_index = num_explicit_++;
  for (const OpArg& arg : inputs_)
    if (kernel_type_attr_ < 0 && arg.type_attr >= 0) kernel_type_attr_ = arg.type_attr;
  if (kernel_type_attr_ < 0)
    for (const OpArg& arg : outputs_)
      if (kernel_type_attr_ < 0 && arg.type_attr >= 0) kernel_type_attr_ = arg.type_attr;
  if (attrs_.size() > 24) error_ = "more than 24 attributes";
  return std::move(*this);
}

OpSchema&& OpSchema::GradientReads(std::string_view args) && {
  grad_inputs_ = grad_outputs_ = 0;
  for (std::string_view name : Split(args, ',')) {
    bool found = false;
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i].name == name) grad_inputs_ |= uint64_t{1} << i, found = true;
    for (size_t i = 0; i < outputs_.size(); ++i)
      if (outputs_[i].name == name) grad_outputs_ |= uint64_t{1} << i, found = true;
    if (!found) error_ = absl::StrCat("GradientReads: no argument ", std::string(name));
  }
  return std::move(*this);
}

OpSchema&& OpSchema::KernelType(std::string_view attr) && {
  kernel_type_attr_ = FindAttr(attr);
  if (kernel_type_attr_ < 0) error_ = absl::StrCat("KernelType: no attribute ", std::string(attr));
  return std::move(*this);
}

std::string OpSchema::SignatureText() const {
  std::string text = absl::StrCat(name_, "(", inputs_text_, ") -> (", outputs_text_, ")");
  if (!attrs_text_.empty()) absl::StrAppend(&text, "  ", attrs_text_);
  return text;
}

}  // namespace tandem
