// absl::Status inside the project: the two macros, the step to a thrown Error and back, and the node of a failed run.
#pragma once
#include <exception>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/error.h"

#define TANDEM_CONCAT_(a, b) a##b
#define TANDEM_CONCAT(a, b) TANDEM_CONCAT_(a, b)
#define RETURN_IF_ERROR(expr)                                    \
  do {                                                           \
    if (absl::Status status_ = (expr); !status_.ok()) return status_; \
  } while (false)
#define ASSIGN_OR_RETURN(lhs, expr) ASSIGN_OR_RETURN_(TANDEM_CONCAT(statusor_, __LINE__), lhs, expr)
#define ASSIGN_OR_RETURN_(tmp, lhs, expr)   \
  auto tmp = (expr);                        \
  if (!tmp.ok()) return std::move(tmp).status(); \
  lhs = *std::move(tmp)

namespace tandem {

// Debian's Abseil has a string_view of its own: what StrCat and the like take.
inline absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

template <class... Args>
[[gnu::cold]] absl::Status InvalidArgument(const Args&... args) {
  return absl::InvalidArgumentError(absl::StrCat(args...));
}

// The same status with `; node "NAME"` at the end of its message and the name attached for Error::node(). A status that
// already names a node stays as it is.
[[gnu::cold]] absl::Status WithNode(absl::Status status, std::string_view node);

// Throws the Error that says what status says; does nothing when it is OK.
inline void ThrowIfError(const absl::Status& status);
[[noreturn, gnu::cold]] void ThrowError(const absl::Status& status);
inline void ThrowIfError(const absl::Status& status) {
  if (!status.ok()) [[unlikely]] ThrowError(status);
}
template <class T>
T ValueOrThrow(absl::StatusOr<T> value) {
  if (!value.ok()) [[unlikely]] ThrowError(value.status());
  return *std::move(value);
}

// An exception that came out of a user's function: Error keeps code and node, bad_alloc is RESOURCE_EXHAUSTED, any
// other is UNKNOWN with its text.
absl::Status StatusFromException(std::exception_ptr exception);

}  // namespace tandem
