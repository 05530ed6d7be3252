// Decimal text of floating numbers as NumPy writes it (Dragon4: the shortest digits that read back as the same number,
// cut to a precision with correct rounding). Steele and White 1990; numpy/_core/src/multiarray/dragon4.c.
//
//   Positional(0.1f, kFloat32, 8)    // {"", "0", "1"}
//   ScalarText(1e10, kFloat64)       // "10000000000.0"
#pragma once
#include <string>

#include "core/dtype.h"

namespace tandem {

// A finite number in pieces: sign, digits before the point, after it without trailing zeros, exponent.
struct Decimal {
  bool negative = false;
  std::string integer;
  std::string fraction;
  int exponent = 0;  // scientific form only
};

// dtype (float16, float32, float64) says which numbers the digits must tell apart. precision: most digits after the
// point, negative for no limit.
Decimal Positional(double value, DType dtype, int precision);
Decimal Scientific(double value, DType dtype, int precision);
// With exactly `precision` digits after the point, whether or not so many tell the number apart.
Decimal ScientificExact(double value, int precision);
// "e+10", with at least two digits, or `digits` if more.
std::string ExponentText(int exponent, int digits = 2);

// A number that stands alone, as str(numpy.float32(x)): "1.0", "1e-05", "nan". Other than float16 to float64: bfloat16.
std::string ScalarText(double value, DType dtype);
// The same without ".0" and optionally with a plus sign, as parts of a complex number are written.
std::string ComplexPartText(double value, DType dtype, bool plus);
// From where on NumPy prefers exponents, for scalars of this dtype.
double ScalarExponentLimit(DType dtype);

}  // namespace tandem
