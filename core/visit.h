// From a run-time dtype to a C++ type.
//
//   VisitNumeric(rep.dtype, [&]<class T>(T) { … rep.as<T>() … });
#pragma once
#include <complex>
#include <cstdint>

#include "core/dtype.h"

namespace tandem {

// Calls fn(T{}) with the element type; false for dtypes that are not numbers or bool.
template <class F>
bool VisitNumeric(DType dtype, F&& fn) {
  switch (dtype) {
    case kFloat32: fn(float{}); return true;
    case kFloat64: fn(double{}); return true;
    case kFloat16: fn(Half{}); return true;
    case kBFloat16: fn(BFloat16{}); return true;
    case kInt8: fn(int8_t{}); return true;
    case kInt16: fn(int16_t{}); return true;
    case kInt32: fn(int32_t{}); return true;
    case kInt64: fn(int64_t{}); return true;
    case kUint8: fn(uint8_t{}); return true;
    case kUint16: fn(uint16_t{}); return true;
    case kUint32: fn(uint32_t{}); return true;
    case kUint64: fn(uint64_t{}); return true;
    case kBool: fn(bool{}); return true;
    case kComplex64: fn(std::complex<float>{}); return true;
    case kComplex128: fn(std::complex<double>{}); return true;
    default: return false;
  }
}

}  // namespace tandem
