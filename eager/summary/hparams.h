// Hyper-parameters of a run, for TensorBoard's HParams page. As eager/summary/summary.h.
//
//   summary::HParams({{"rate", 0.001}, {"units", 128}, {"optimizer", "adam"}, {"dropout", true}});
//   …
//   summary::EndSession(summary::SessionStatus::kSuccess);
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/export.h"

TANDEM_EXPORT_BEGIN
namespace tandem::summary {

using HParam = std::variant<double, bool, std::string>;

// A name and a number, truth value or text.
struct NamedHParam {
  NamedHParam(std::string name, const char* text) : name(std::move(name)), value(std::string(text)) {}
  NamedHParam(std::string name, std::string text) : name(std::move(name)), value(std::move(text)) {}
  NamedHParam(std::string name, bool truth) : name(std::move(name)), value(truth) {}
  NamedHParam(std::string name, double number) : name(std::move(name)), value(number) {}
  NamedHParam(std::string name, int number) : name(std::move(name)), value(static_cast<double>(number)) {}
  std::string name;
  HParam value;
};

enum class SessionStatus { kUnknown = 0, kSuccess = 1, kFailure = 2, kRunning = 3 };

// Once a run, before it starts. INVALID_ARGUMENT for a name that comes twice.
void HParams(const std::vector<NamedHParam>& params, std::string_view group = "");
// Once a run, when it is over.
void EndSession(SessionStatus status);

}  // namespace tandem::summary
TANDEM_EXPORT_END
