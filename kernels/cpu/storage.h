// How elements lie in memory, for kernels that move elements and never compute with them: one code for all dtypes of a
// size, one each for strings, resources and variants.
//
//   VisitStorage(dtype, [&]<class T>(std::type_identity<T>) { … static_cast<T*>(out)[i] = static_cast<const T*>(in)[k]; });
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "core/dtype.h"
#include "core/resource.h"
#include "core/variant.h"

namespace tandem {

struct Bytes16 {
  uint64_t low, high;
};

template <class F>
void VisitStorage(DType dtype, F&& fn) {
  switch (DTypeSize(dtype)) {
    case 1: return fn(std::type_identity<uint8_t>());
    case 2: return fn(std::type_identity<uint16_t>());
    case 4: return fn(std::type_identity<uint32_t>());
    case 8: return fn(std::type_identity<uint64_t>());
    case 16: return fn(std::type_identity<Bytes16>());
    default: break;
  }
  if (dtype == kString) return fn(std::type_identity<std::string>());
  if (dtype == kVariant) return fn(std::type_identity<Variant>());
  fn(std::type_identity<RefPtr<ResourceBase>>());  // the layout of ResourceBase*, counted
}

// Bytes between elements.
inline int64_t StorageSize(DType dtype) {
  if (const size_t bytes = DTypeSize(dtype)) return static_cast<int64_t>(bytes);
  return dtype == kString ? sizeof(std::string) : dtype == kVariant ? sizeof(Variant) : sizeof(ResourceBase*);
}

inline const void* ElementAt(const void* data, DType dtype, int64_t i) {
  return static_cast<const char*>(data) + i * StorageSize(dtype);
}
inline void* ElementAt(void* data, DType dtype, int64_t i) { return static_cast<char*>(data) + i * StorageSize(dtype); }

// n consecutive elements.
inline void CopyElements(DType dtype, const void* from, void* to, int64_t n) {
  if (const size_t bytes = DTypeSize(dtype)) [[likely]] {
    if (n) std::memcpy(to, from, static_cast<size_t>(n) * bytes);
    return;
  }
  VisitStorage(dtype, [&]<class T>(std::type_identity<T>) {
    for (int64_t i = 0; i < n; ++i) static_cast<T*>(to)[i] = static_cast<const T*>(from)[i];
  });
}

// n zeros: 0, false, "", no resource.
inline void ZeroElements(DType dtype, void* to, int64_t n) {
  if (const size_t bytes = DTypeSize(dtype)) [[likely]] {
    if (n) std::memset(to, 0, static_cast<size_t>(n) * bytes);
    return;
  }
  VisitStorage(dtype, [&]<class T>(std::type_identity<T>) {
    for (int64_t i = 0; i < n; ++i) static_cast<T*>(to)[i] = T();
  });
}

// n copies of one element, over the cores when there are many.
void FillElements(DType dtype, const void* value, void* to, int64_t n);

}  // namespace tandem
