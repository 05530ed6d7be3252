#include "core/decimal.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace tandem {
namespace {

// The shortest digits of |value| and the place of the point: 0.DIGITS * 10^point.
struct Digits {
  std::string digits;
  int point = 0;
};

Digits Parse(const char* text, size_t n) {  // "1.2345e+08"
  Digits d;
  size_t i = 0;
  for (; i < n && text[i] != 'e'; ++i)
    if (text[i] != '.') d.digits += text[i];
  int exponent = 0;
  if (i < n) std::from_chars(text + i + 1 + (text[i + 1] == '+'), text + n, exponent);
  d.point = exponent + 1;
  while (d.digits.size() > 1 && d.digits.back() == '0') d.digits.pop_back();
  return d;
}

Digits Exact(double value, int fraction_digits) {
  char text[64];
  return Parse(text, std::snprintf(text, sizeof text, "%.*e", fraction_digits, value));
}

template <class T>
Digits ToChars(T value) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific);
  return Parse(text, end.ptr - text);
}

// float16 has no to_chars: the fewest digits that lie between its neighbours' midpoints, the nearest of those.
Digits ShortestHalf(double value) {
  const uint16_t bits = Half(static_cast<float>(value)).bits;
  const auto at = [](uint16_t b) { return static_cast<double>(static_cast<float>(Half::FromBits(b))); };
  const double below = bits == 0 ? -at(1) : at(bits - 1), above = bits == 0x7bff ? 65536.0 : at(bits + 1);
  const double low = (below + value) / 2, high = (value + above) / 2;
  const bool even = bits % 2 == 0;  // then the midpoints themselves round to it
  for (int n = 0; n < 8; ++n) {
    const double unit = std::pow(10.0, std::floor(std::log10(value)) - n);
    double best = -1;
    for (const double k : {std::floor(value / unit), std::ceil(value / unit)}) {
      char text[40];
      std::snprintf(text, sizeof text, "%.0fe%d", k, static_cast<int>(std::floor(std::log10(value))) - n);
      const double candidate = std::strtod(text, nullptr);
      if (even ? candidate < low || candidate > high : candidate <= low || candidate >= high) continue;
      const double distance = std::abs(candidate - value), other = std::abs(best - value);
      if (best < 0 || distance < other || (distance == other && std::fmod(k, 2) == 0)) best = candidate;  // ties to even
    }
    if (best >= 0) return ToChars(best);
  }
  return ToChars(value);
}

Digits Shortest(double value, DType dtype) {
  value = std::abs(value);
  if (value == 0) return {"0", 1};
  if (dtype == kFloat32) return ToChars(static_cast<float>(value));
  if (dtype == kFloat16) return ShortestHalf(value);
  return ToChars(value);
}

}  // namespace

Decimal Positional(double value, DType dtype, int precision) {
  Digits d = Shortest(value, dtype);
  Decimal out{std::signbit(value), "", "", 0};
  if (precision >= 0 && static_cast<int>(d.digits.size()) - d.point > precision) {
    char text[400];
    const int n = std::snprintf(text, sizeof text, "%.*f", precision, std::abs(value));
    const std::string_view all(text, n);
    out.integer = all.substr(0, all.find('.'));
    out.fraction = precision ? all.substr(all.find('.') + 1) : "";
  } else {
    const int n = static_cast<int>(d.digits.size());
    if (d.point <= 0) {
      out.integer = "0";
      out.fraction = value == 0 ? "" : std::string(-d.point, '0') + d.digits;
    } else if (n <= d.point) {
      out.integer = d.digits + std::string(d.point - n, '0');
    } else {
      out.integer = d.digits.substr(0, d.point);
      out.fraction = d.digits.substr(d.point);
    }
  }
  while (!out.fraction.empty() && out.fraction.back() == '0') out.fraction.pop_back();
  return out;
}

Decimal Scientific(double value, DType dtype, int precision) {
  Digits d = Shortest(value, dtype);
  if (precision >= 0 && static_cast<int>(d.digits.size()) > precision + 1) d = Exact(std::abs(value), precision);
  Decimal out{std::signbit(value), d.digits.substr(0, 1), d.digits.substr(1), value == 0 ? 0 : d.point - 1};
  while (!out.fraction.empty() && out.fraction.back() == '0') out.fraction.pop_back();
  return out;
}

Decimal ScientificExact(double value, int precision) {
  const Digits d = Exact(std::abs(value), precision);
  std::string fraction = d.digits.substr(1);
  fraction.resize(precision, '0');
  return {std::signbit(value), d.digits.substr(0, 1), std::move(fraction), value == 0 ? 0 : d.point - 1};
}

std::string ExponentText(int exponent, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "e%c%0*d", exponent < 0 ? '-' : '+', std::max(digits, 2), std::abs(exponent));
  return text;
}

double ScalarExponentLimit(DType dtype) { return dtype == kFloat16 ? 1e3 : dtype == kFloat32 ? 1e6 : 1e16; }

namespace {

std::string Text(double value, DType dtype, bool plus, const char* whole) {
  if (std::isnan(value)) return plus ? "+nan" : "nan";
  const std::string sign = std::signbit(value) ? "-" : plus ? "+" : "";
  if (std::isinf(value)) return sign + "inf";
  const double a = std::abs(value);
  if (a == 0 || (a >= 1e-4 && a < ScalarExponentLimit(dtype))) {
    const Decimal d = Positional(value, dtype, -1);
    return sign + d.integer + (d.fraction.empty() ? whole : "." + d.fraction);
  }
  const Decimal d = Scientific(value, dtype, -1);
  return sign + d.integer + (d.fraction.empty() ? "" : "." + d.fraction) + ExponentText(d.exponent);
}

}  // namespace

std::string ScalarText(double value, DType dtype) {
  if (dtype != kBFloat16) return Text(value, dtype, false, ".0");
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return std::isnan(value) ? "nan" : text;
}

std::string ComplexPartText(double value, DType dtype, bool plus) { return Text(value, dtype, plus, ""); }

}  // namespace tandem
