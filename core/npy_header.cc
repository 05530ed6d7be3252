#include "core/npy_header.h"

#include <charconv>

namespace tandem {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  bool Take(char c) {
    SkipSpace();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool TakeWord(std::string_view word) {
    SkipSpace();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool String(std::string& out) {
    SkipSpace();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return false;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == rest_.npos) return false;
    out = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return out.find('\\') == out.npos;
  }
  bool Integer(int64_t& out) {
    SkipSpace();
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (error != std::errc()) return false;
    rest_.remove_prefix(end - rest_.data());
    if (!rest_.empty() && rest_[0] == 'L') rest_.remove_prefix(1);  // Python 2 wrote 3L
    return true;
  }
  bool AtEnd() {
    SkipSpace();
    return rest_.empty();
  }

 private:
  void SkipSpace() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t')) rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

absl::Status ParseShape(Parser& p, Shape& shape) {
  if (!p.Take('(')) return InvalidArgument("its shape is no tuple");
  while (!p.Take(')')) {
    int64_t dim;
    if (!p.Integer(dim)) return InvalidArgument("its shape holds something that is no integer");
    if (dim < 0) return InvalidArgument("its shape has the negative dimension ", dim);
    if (shape.rank() == kMaxRank) return InvalidArgument("its shape has more than ", kMaxRank, " dimensions");
    shape.push_back(dim);
    if (p.Take(',')) continue;
    if (!p.Take(')')) return InvalidArgument("its shape is no tuple of integers");
    break;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<NpyHeader> ParseNpyHeader(std::string_view text) {
  Parser p(text);
  NpyHeader header;
  bool has_descr = false, has_order = false, has_shape = false;
  if (!p.Take('{')) return InvalidArgument("its header is no dict");
  while (!p.Take('}')) {
    std::string key;
    if (!p.String(key) || !p.Take(':')) return InvalidArgument("its header is no dict of names and values");
    if (key == "descr" && !has_descr) {
      if (!p.String(header.descr)) return InvalidArgument("its dtype is structured: only plain ones can be read");
      has_descr = true;
    } else if (key == "fortran_order" && !has_order) {
      header.fortran_order = p.TakeWord("True");
      if (!header.fortran_order && !p.TakeWord("False")) return InvalidArgument("its fortran_order is neither True nor False");
      has_order = true;
    } else if (key == "shape" && !has_shape) {
      RETURN_IF_ERROR(ParseShape(p, header.shape));
      has_shape = true;
    } else {
      return InvalidArgument("its header has the unexpected or repeated key '", key, "'");
    }
    if (p.Take(',')) continue;
    if (!p.Take('}')) return InvalidArgument("its header is no dict of names and values");
    break;
  }
  if (!p.AtEnd()) return InvalidArgument("its header goes on after the dict");
  if (!has_descr || !has_order || !has_shape) return InvalidArgument("its header lacks descr, fortran_order or shape");
  return header;
}

}  // namespace tandem
