// What the public API throws. Inside, layers hand on absl::Status (core/status.h); the public function that the user
// called turns it into an Error.
//
//   try { MatMul(a, b); } catch (const Error& e) { if (e.code() == Code::kInvalidArgument) … }
#pragma once
#include <stdexcept>
#include <string>

#include "core/export.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// The canonical codes, with TensorFlow's numbers.
enum class Code {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};
// "INVALID_ARGUMENT", …
const char* CodeName(Code code);

class Error : public std::runtime_error {
 public:
  // message: "MatMul: inner dimensions differ: a is [2,3] (dim 1 = 3), b is [4,5] (dim 0 = 4); node \"dense/MatMul\"".
  Error(Code code, const std::string& message, std::string node = "")
      : std::runtime_error(message), code_(code), node_(std::move(node)) {}
  Code code() const { return code_; }
  std::string message() const { return what(); }
  // The graph node that failed; "" outside graphs.
  const std::string& node() const { return node_; }

 private:
  Code code_;
  std::string node_;
};

}  // namespace tandem
TANDEM_EXPORT_END
