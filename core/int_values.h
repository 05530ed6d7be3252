// Reads integer tensors whatever their width: shapes, axes, paddings, indices.
//
//   const IntVector dims = IntValues(call.input(1));
#pragma once
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/tensor_rep.h"

namespace tandem {

using IntVector = absl::InlinedVector<int64_t, 8>;

// Element i of an integer tensor; 0 for dtypes that are no integers. uint64 past 2^63 - 1 reads as that.
inline int64_t IntValue(const TensorRep& rep, int64_t i) {
  switch (rep.dtype) {
    case kInt32: return rep.as<int32_t>()[i];
    case kInt64: return rep.as<int64_t>()[i];
    case kInt16: return rep.as<int16_t>()[i];
    case kInt8: return rep.as<int8_t>()[i];
    case kUint8: return rep.as<uint8_t>()[i];
    case kUint16: return rep.as<uint16_t>()[i];
    case kUint32: return rep.as<uint32_t>()[i];
    case kUint64: return static_cast<int64_t>(std::min<uint64_t>(rep.as<uint64_t>()[i], INT64_MAX));
    default: return 0;
  }
}

inline IntVector IntValues(const TensorRep& rep) {
  IntVector values(static_cast<size_t>(rep.count));
  for (int64_t i = 0; i < rep.count; ++i) values[i] = IntValue(rep, i);
  return values;
}

// "[2,-1]", for errors.
inline std::string ListText(const IntVector& values) { return absl::StrCat("[", absl::StrJoin(values, ","), "]"); }

}  // namespace tandem
