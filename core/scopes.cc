#include "core/scopes.h"

#include <algorithm>
#include <cctype>

#include "core/status.h"

namespace tandem {
namespace {

// Not in ThreadState: eager ops never look at it.
constinit thread_local const Scope* innermost = nullptr;


bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '/' || c == '-';
}

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
         });
}

bool IsDeviceIndex(std::string_view s) {
  return s == "*" || (!s.empty() && s.size() <= 9 && std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

bool IsDeviceType(std::string_view s) {
  return !s.empty() && std::isalpha(static_cast<unsigned char>(s[0])) &&
         std::all_of(s.begin(), s.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

// "CPU:0", "CPU", "*" after "device:".
bool IsTypeAndIndex(std::string_view s) {
  const size_t colon = s.find(':');
  const std::string_view type = s.substr(0, colon);
  return (type == "*" || IsDeviceType(type)) && (colon == s.npos || IsDeviceIndex(s.substr(colon + 1)));
}

// "/cpu:0" and "/gpu:0" of old: the type itself is the part's name.
bool IsLegacyPart(std::string_view key, std::string_view value) {
  return (EqualsIgnoreCase(key, "cpu") || EqualsIgnoreCase(key, "gpu")) && IsDeviceIndex(value);
}

}  // namespace

bool IsNodeName(std::string_view text) {
  bool start = true;  // of a part
  for (char c : text) {
    if (c == '>') {
      if (start) return false;
      start = true;
      continue;
    }
    if (!IsNameChar(c) || (start && (c == '_' || c == '/' || c == '-'))) return false;
    start = false;
  }
  return !start;
}

bool IsDeviceName(std::string_view text) {
  if (text.empty()) return true;
  if (text.front() != '/') {
    const size_t colon = text.find(':');
    return colon != text.npos && IsLegacyPart(text.substr(0, colon), text.substr(colon + 1));
  }
  while (!text.empty()) {
    const size_t end = std::min(text.find('/', 1), text.size());
    const std::string_view part = text.substr(1, end - 1);
    text.remove_prefix(end);
    const size_t colon = part.find(':');
    if (colon == part.npos) return false;
    const std::string_view key = part.substr(0, colon), value = part.substr(colon + 1);
    if (key == "job") {
      if (!IsDeviceType(value)) return false;
    } else if (key == "replica" || key == "task") {
      if (!IsDeviceIndex(value)) return false;
    } else if (key == "device") {
      if (!IsTypeAndIndex(value)) return false;
    } else if (!IsLegacyPart(key, value)) {
      return false;
    }
  }
  return true;
}

Scope::Scope() : outer_(innermost) { innermost = this; }
Scope::~Scope() { innermost = outer_; }

NameScope::NameScope(std::string_view name) {
  while (name.ends_with('/')) name.remove_suffix(1);
  if (!IsNodeName(name)) ThrowError(InvalidArgument("NameScope: \"", Absl(name), "\" is no name: letters, digits and ._-/, starting with a letter, digit or dot"));
  prefix_ = std::string(name) + "/";
}

ControlDependencies::ControlDependencies(std::initializer_list<ControlInput> after) : ControlDependencies(std::vector<ControlInput>(after)) {
  clears_controls_ = after.size() == 0;
}
ControlDependencies::ControlDependencies(const std::vector<ControlInput>& after) {
  for (const ControlInput& input : after) {
    if (!input.node.empty()) control_nodes_.push_back(input.node);
    else if (input.tensor.symbolic()) control_tensors_.push_back(input.tensor);
    else if (!input.tensor.defined()) ThrowError(InvalidArgument("ControlDependencies: an undefined tensor"));
  }  // an eager tensor has its value already
}
ControlDependencies::ControlDependencies(const Tensors& after) {
  for (const Tensor& t : after) {
    if (!t.defined()) ThrowError(InvalidArgument("ControlDependencies: an undefined tensor"));
    if (t.symbolic()) control_tensors_.push_back(t);
  }
}

DeviceScope::DeviceScope(std::string_view device) : Scope() {
  if (!IsDeviceName(device)) ThrowError(InvalidArgument("DeviceScope: \"", Absl(device), "\" names no device; \"/cpu:0\" does"));
  is_device_ = true;
  device_ = device;
}

std::string ScopeChain::Prefix() {
  std::string prefix;
  for (const Scope* s = innermost; s && !s->is_barrier_; s = s->outer_)
    if (!s->prefix_.empty()) prefix.insert(0, s->prefix_);
  return prefix;
}

std::string_view ScopeChain::Device() {
  for (const Scope* s = innermost; s; s = s->outer_)
    if (s->is_device_) return s->device_;
  return {};
}

void ScopeChain::Controls(std::vector<Tensor>* tensors, std::vector<std::string>* nodes) {
  for (const Scope* s = innermost; s && !s->is_barrier_ && !s->clears_controls_; s = s->outer_) {
    tensors->insert(tensors->end(), s->control_tensors_.begin(), s->control_tensors_.end());
    nodes->insert(nodes->end(), s->control_nodes_.begin(), s->control_nodes_.end());
  }
}

}  // namespace tandem
