#include "eager/trackable.h"

#include <algorithm>

#include "core/status.h"

namespace tandem {
namespace {

void CheckName(std::string_view name, bool defined) {
  if (name.empty()) ThrowError(InvalidArgument("Trackable: a child needs a name"));
  if (!defined) ThrowError(InvalidArgument("Trackable: ", std::string(name), " is undefined"));
}

bool SameVariable(const Variable& a, const Variable& b) {
  return a.defined() && b.defined() && a.handle().rep() == b.handle().rep();
}

}  // namespace

template <class T>
void ObjectState::Tell(const T& added) {
  // A copy: hearing of one child may add listeners.
  const auto listeners = listeners_;
  for (const auto& listener : listeners) listener->Added(*this, added);
}

const ObjectState::Child* ObjectState::Find(std::string_view name) const {
  const auto it = std::ranges::find(children_, name, &Child::name);
  return it == children_.end() ? nullptr : &*it;
}

void ObjectState::Add(std::string_view name, const Variable& variable) {
  CheckName(name, variable.defined());
  if (const Child* there = Find(name)) {
    if (SameVariable(there->variable, variable)) return;
    ThrowError(absl::AlreadyExistsError(absl::StrCat("Trackable: there is another \"", std::string(name), "\" in this object")));
  }
  children_.push_back({std::string(name), variable, nullptr});
  Tell(Child(children_.back()));
}

void ObjectState::Add(std::string_view name, std::shared_ptr<ObjectState> object) {
  CheckName(name, object != nullptr);
  if (const Child* there = Find(name)) {
    if (there->object == object) return;
    ThrowError(absl::AlreadyExistsError(absl::StrCat("Trackable: there is another \"", std::string(name), "\" in this object")));
  }
  children_.push_back({std::string(name), Variable(), std::move(object)});
  Tell(Child(children_.back()));
}

void ObjectState::AddSlot(const Variable& original, std::string_view name, const Variable& slot) {
  CheckName(name, original.defined() && slot.defined());
  for (const Slot& s : slots_)
    if (s.name == name && SameVariable(s.original, original)) {
      if (SameVariable(s.slot, slot)) return;
      ThrowError(absl::AlreadyExistsError(absl::StrCat("Trackable: ", original.name(), " has another slot \"", std::string(name), "\"")));
    }
  slots_.push_back({original, std::string(name), slot});
  Tell(Slot(slots_.back()));
}

void ObjectState::AddValue(Value value) {
  CheckName(value.name, value.save && value.restore);
  values_.push_back(std::move(value));
  Tell(Value(values_.back()));
}

void ObjectState::RemoveListener(const Listener* listener) {
  std::erase_if(listeners_, [&](const auto& l) { return l.get() == listener; });
}

}  // namespace tandem
