#include "eager/nn/layer_names.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "eager/nn/layer.h"

namespace tandem::nn {
namespace {

struct Counters {
  std::mutex mutex;
  std::unordered_map<std::string, int> made;
};
Counters& counters() {
  static Counters* counters = new Counters;
  return *counters;
}

bool Upper(char c) { return std::isupper(static_cast<unsigned char>(c)); }
bool Lower(char c) { return std::islower(static_cast<unsigned char>(c)); }

}  // namespace

std::string ClassName(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  std::string name = status == 0 ? text.get() : type.name();
  name = name.substr(0, name.find('<'));
  if (const size_t colon = name.rfind("::"); colon != std::string::npos) name = name.substr(colon + 2);
  return name;
}

// keras/src/utils/naming.py: an underscore before a capital that begins a word (a lower-case letter follows), and
// between a lower-case letter and a capital.
std::string SnakeCase(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool begins = i + 1 < name.size() && Lower(name[i + 1]);
    if (i > 0 && Upper(name[i]) && (begins || Lower(name[i - 1]))) out += '_';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return out;
}

std::string UniqueName(std::string_view class_name) {
  std::string name = SnakeCase(class_name);
  Counters& c = counters();
  std::lock_guard lock(c.mutex);
  const int n = c.made[name]++;
  return n == 0 ? name : name + "_" + std::to_string(n);
}

void ResetLayerNames() {
  Counters& c = counters();
  std::lock_guard lock(c.mutex);
  c.made.clear();
}

}  // namespace tandem::nn
