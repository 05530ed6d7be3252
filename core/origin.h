// Where in the user's program an op came from: one pointer to what the compiler already stored.
//
//   Tensor Relu(const Tensor& x, Origin origin = Here());   // the default names the caller's line
//
// Null under clang 14, which has no __builtin_source_location with GCC's layout and builds only the fuzzers.
#pragma once
#include <cstdint>
#include <source_location>
#include <string>

#include "core/export.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

class Origin {
 public:
  constexpr Origin() = default;
  constexpr explicit Origin(const void* location) : location_(location) {}
  constexpr const void* location() const { return location_; }
  constexpr explicit operator bool() const { return location_ != nullptr; }
  const char* file() const { return location_ ? layout()->file : ""; }
  const char* function() const { return location_ ? layout()->function : ""; }
  unsigned line() const { return location_ ? layout()->line : 0; }
  // "model.cc:12", the directory left out; "" when unknown.
  std::string ToString() const;
  friend constexpr bool operator==(Origin, Origin) = default;

 private:
  struct Layout {  // libstdc++'s std::source_location::__impl
    const char* file;
    const char* function;
    unsigned line;
    unsigned column;
  };
  const Layout* layout() const { return static_cast<const Layout*>(location_); }
  const void* location_ = nullptr;
};

#if defined(__clang__)
constexpr Origin Here() { return Origin(); }
#else
constexpr Origin Here(const void* location = __builtin_source_location()) { return Origin(location); }
#endif

}  // namespace tandem
TANDEM_EXPORT_END
