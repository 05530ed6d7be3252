#include "kernels/cpu/summarize.h"

#include <cstdio>
#include <cstdlib>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/visit.h"

namespace tandem {
namespace {

// The shorter of two precisions if it reads back as the same number.
std::string Floating(double value, int short_digits, int long_digits, bool is_float) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", short_digits, value);
  const bool same = is_float ? std::strtof(text, nullptr) == static_cast<float>(value) : std::strtod(text, nullptr) == value;
  if (!same && value == value) std::snprintf(text, sizeof text, "%.*g", long_digits, value);
  return text;
}

std::string Element(const TensorRep& x, int64_t i, bool quoted) {
  if (x.dtype == kString) {
    const std::string& s = x.as<std::string>()[i];
    const std::string escaped = absl::CEscape(s);
    return quoted ? absl::StrCat("\"", escaped, "\"") : escaped;
  }
  std::string text = "?";  // complex numbers, resources, variants
  VisitNumeric(x.dtype, [&]<class T>(T) {
    const T v = x.as<T>()[i];
    if constexpr (std::same_as<T, double>) text = Floating(v, 15, 17, false);
    else if constexpr (std::same_as<T, float>) text = Floating(v, 6, 9, true);
    else if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) text = Floating(float(v), 6, 9, true);
    else if constexpr (std::same_as<T, bool>) text = v ? "1" : "0";
    else if constexpr (std::integral<T>) text = std::to_string(v);
  });
  return text;
}

class Flat {
 public:
  Flat(const TensorRep& x, int64_t limit) : x_(x), limit_(limit < 0 ? x.count : std::min(limit, x.count)) {
    if (x.rank == 0) {
      if (limit_ > 0) text_ = Element(x, 0, false);
    } else {
      Axis(0);
    }
    if (x.count > limit_) text_ += "...";
  }
  std::string text() && { return std::move(text_); }

 private:
  void Axis(int axis) {
    const int64_t n = x_.dims()[axis];
    for (int64_t i = 0; i < n && at_ < limit_; ++i) {
      if (axis == x_.rank - 1) {
        if (i > 0) text_ += " ";
        text_ += Element(x_, at_++, false);
        if (at_ >= limit_ && i + 1 < n && axis != 0) text_ += "...";
      } else {
        text_ += "[";
        Axis(axis + 1);
        text_ += "]";
      }
    }
  }

  const TensorRep& x_;
  const int64_t limit_;
  int64_t at_ = 0;
  std::string text_;
};

class Nested {
 public:
  Nested(const TensorRep& x, int64_t ends) : x_(x), ends_(ends < 0 ? std::numeric_limits<int64_t>::max() / 2 : ends) { Axis(0, 0); }
  std::string text() && { return std::move(text_); }

 private:
  void Axis(int axis, int64_t at) {
    if (axis == x_.rank) {
      text_ += Element(x_, at, true);
      return;
    }
    const int64_t n = x_.dims()[axis];
    int64_t below = 1;
    for (int k = axis + 1; k < x_.rank; ++k) below *= x_.dims()[k];
    text_ += "[";
    for (int64_t i = 0; i < n && i < ends_; ++i) {
      if (i > 0) Space(axis);
      Axis(axis + 1, at + i * below);
    }
    if (n > 2 * ends_) {
      if (ends_ > 0) Space(axis);
      text_ += "...";
    }
    for (int64_t i = std::max(ends_, n - ends_); i < n; ++i) {
      Space(axis);
      Axis(axis + 1, at + i * below);
    }
    text_ += "]";
  }
  // Between elements a space; between rows as many line breaks as axes end, and the indent.
  void Space(int axis) {
    if (axis == x_.rank - 1) {
      text_ += " ";
      return;
    }
    text_.append(x_.rank - axis - 1, '\n');
    text_.append(axis + 1, ' ');
  }

  const TensorRep& x_;
  const int64_t ends_;
  std::string text_;
};

}  // namespace

std::string SummarizeFlat(const TensorRep& x, int64_t limit) { return Flat(x, limit).text(); }
std::string SummarizeNested(const TensorRep& x, int64_t ends) { return Nested(x, ends).text(); }

}  // namespace tandem
