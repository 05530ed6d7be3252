#include "core/status.h"

#include <new>
#include <string>

#include "absl/strings/cord.h"

namespace tandem {
namespace {

constexpr char kNodePayload[] = "tandem/node";

}  // namespace

const char* CodeName(Code code) {
  static constexpr const char* kNames[] = {
      "OK",          "CANCELLED",         "UNKNOWN",            "INVALID_ARGUMENT",    "DEADLINE_EXCEEDED", "NOT_FOUND",
      "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",           "OUT_OF_RANGE",
      "UNIMPLEMENTED", "INTERNAL",        "UNAVAILABLE",        "DATA_LOSS",           "UNAUTHENTICATED"};
  const auto i = static_cast<size_t>(code);
  return i < std::size(kNames) ? kNames[i] : "UNKNOWN";
}

absl::Status WithNode(absl::Status status, std::string_view node) {
  if (status.ok() || node.empty() || status.GetPayload(kNodePayload)) return status;
  const absl::string_view name(node.data(), node.size());
  absl::Status named(status.code(), absl::StrCat(status.message(), "; node \"", name, "\""));
  named.SetPayload(kNodePayload, absl::Cord(name));
  return named;
}

void ThrowError(const absl::Status& status) {
  const auto node = status.GetPayload(kNodePayload);
  throw Error(static_cast<Code>(status.code()), std::string(status.message()), node ? std::string(*node) : "");
}

absl::Status StatusFromException(std::exception_ptr exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& e) {
    absl::Status status(static_cast<absl::StatusCode>(e.code()), e.what());
    if (!e.node().empty()) status.SetPayload(kNodePayload, absl::Cord(e.node()));
    return status;
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("out of memory");
  } catch (const std::exception& e) {
    return absl::UnknownError(e.what());
  } catch (...) {
    return absl::UnknownError("an exception that is no std::exception");
  }
}

}  // namespace tandem
