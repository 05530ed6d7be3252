#include "core/print.h"

#include <ostream>

#include "core/context.h"
#include "core/device_memory.h"
#include "core/element_format.h"
#include "core/status.h"
#include "core/symbolic.h"

namespace tandem {
namespace {

constexpr int64_t kThreshold = 1000;  // more elements than this are summarised
constexpr int64_t kEdge = 3;          // shown at either end of an axis then
constexpr size_t kLineWidth = 75;

// numpy/_core/arrayprint.py, _formatArray.
class ArrayText {
 public:
  ArrayText(const TensorRep& rep, std::string_view separator) : rep_(rep), separator_(separator), summarise_(rep.count > kThreshold) {
    std::vector<int64_t> shown;
    Collect(0, 0, shown);
    format_ = MakeElementFormat(rep, shown);
  }

  std::string Text(const std::string& indent, size_t width) const { return Axis(0, 0, indent, width); }

 private:
  std::string Stripped() const { return separator_.substr(0, separator_.find_last_not_of(' ') + 1); }
  bool Cut(int axis) const { return summarise_ && rep_.dims()[axis] > 2 * kEdge; }

  // Calls fn(index) for each index shown along the axis, and gap() between its two ends.
  template <class F, class G>
  void ForShown(int axis, F&& fn, G&& gap) const {
    const int64_t n = rep_.dims()[axis];
    const bool cut = Cut(axis);
    for (int64_t i = 0; i < (cut ? kEdge : n); ++i) fn(i);
    if (!cut) return;
    gap();
    for (int64_t i = n - kEdge; i < n; ++i) fn(i);
  }

  void Collect(int axis, int64_t base, std::vector<int64_t>& shown) const {
    if (axis == rep_.rank) {
      shown.push_back(base);
      return;
    }
    ForShown(axis, [&](int64_t i) { Collect(axis + 1, base * rep_.dims()[axis] + i, shown); }, [] {});
  }

  std::string Axis(int axis, int64_t base, const std::string& indent, size_t width) const {
    const int64_t n = rep_.dims()[axis];
    return axis + 1 == rep_.rank ? Row(n, base, indent, width) : Nested(axis, n, base, indent, width);
  }

  std::string Row(int64_t n, int64_t base, const std::string& indent, size_t width) const {
    const size_t room = width - std::max(Stripped().size(), size_t{1});
    std::string text, line = indent;
    const auto extend = [&](const std::string& word) {
      if (line.size() + word.size() > room && line.size() > indent.size()) {
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        line = indent;
      }
      line += word;
    };
    ForShown(rep_.rank - 1, [&](int64_t i) {
      extend(format_(base * n + i));
      if (i + 1 < n) line += separator_;
    }, [&] {
      extend("...");
      line += separator_;
    });
    return "[" + (text + line).substr(indent.size()) + "]";
  }

  std::string Nested(int axis, int64_t n, int64_t base, const std::string& indent, size_t width) const {
    const std::string between = Stripped() + std::string(rep_.rank - axis - 1, '\n');
    std::string text;
    ForShown(axis, [&](int64_t i) {
      text += indent + Axis(axis + 1, base * n + i, indent + " ", width - 1);
      if (i + 1 < n) text += between;
    }, [&] { text += indent + "..." + between; });
    return "[" + text.substr(indent.size()) + "]";
  }

  const TensorRep& rep_;
  const std::string separator_;
  const bool summarise_;
  ElementFormat format_;
};

std::string NumpyStr(const TensorRep& rep) {
  if (rep.count == 0) return "[]";
  if (rep.rank == 0) return ScalarElementText(rep);
  return ArrayText(rep, " ").Text(" ", kLineWidth);
}

std::string SymbolicText(const Tensor& t) {
  return absl::StrCat("Tensor(\"", t.name(), "\", shape=", t.shape().ToTuple(), ", dtype=", std::string(DTypeName(t.dtype())), ")");
}

}  // namespace

std::string BytesRepr(std::string_view bytes) {
  static const char kHex[] = "0123456789abcdef";
  const char quote = bytes.find('\'') != bytes.npos && bytes.find('"') == bytes.npos ? '"' : '\'';
  std::string out = {'b', quote};
  for (const char c : bytes) {
    const auto u = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') (out += '\\') += c;
    else if (c == '\n') out += "\\n";
    else if (c == '\r') out += "\\r";
    else if (c == '\t') out += "\\t";
    else if (u < 0x20 || u >= 0x7f) ((out += "\\x") += kHex[u >> 4]) += kHex[u & 15];
    else out += c;
  }
  return out += quote;
}

std::string NumpyRepr(const Tensor& tensor) {
  if (!tensor.defined()) return "<undefined>";
  if (tensor.symbolic()) return SymbolicText(tensor);
  const Tensor host = OnHost(tensor);
  const TensorRep& rep = *host.rep();
  std::string text = "array(";
  if (rep.count == 0) {
    text += "[]";
  } else if (rep.rank == 0) {
    const int64_t only[] = {0};
    const std::string element = MakeElementFormat(rep, only)(0);
    text += rep.dtype == kBool ? ScalarElementText(rep) : element;
  } else {
    text += ArrayText(rep, ", ").Text("       ", kLineWidth - 1);
  }
  std::string extras;
  if ((rep.count == 0 && rep.shape() != Shape{0}) || rep.count > kThreshold) extras = "shape=" + rep.shape().ToTuple();
  const bool implied = rep.dtype == kInt64 || rep.dtype == kFloat64 || rep.dtype == kBool || rep.dtype == kComplex128;
  if (!implied || rep.count == 0)
    absl::StrAppend(&extras, extras.empty() ? "" : ", ", "dtype=", rep.dtype == kString ? "object" : std::string(DTypeName(rep.dtype)));
  if (extras.empty()) return text + ")";
  text += ",";
  extras += ")";
  const size_t last_line = text.size() - (text.rfind('\n') + 1);
  return text + (last_line + extras.size() + 1 > kLineWidth ? "\n      " : " ") + extras;
}

std::string Tensor::ToString() const {
  if (!rep_) return "<undefined>";
  return rep_->symbolic() ? SymbolicText(*this) : NumpyStr(*OnHost(*this).rep());
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  if (!tensor.defined()) return out << "tandem.Tensor(<undefined>)";
  if (tensor.symbolic()) return out << SymbolicText(tensor);
  return out << "tandem.Tensor(" << tensor.ToString() << ", shape=" << tensor.shape().ToTuple() << ", dtype=" << DTypeName(tensor.dtype()) << ")";
}

std::ostream& operator<<(std::ostream& out, const Variable& variable) {
  if (!variable.defined()) return out << "<tandem.Variable undefined>";
  out << "<tandem.Variable '" << variable.name() << ":0' shape=" << variable.shape().ToTuple() << " dtype=" << DTypeName(variable.dtype());
  if (ExecutingEagerly() && !variable.handle().symbolic()) out << ", numpy=" << (variable.shape().rank() == 0 ? variable.Read().ToString() : NumpyRepr(variable.Read()));
  return out << ">";
}

}  // namespace tandem
