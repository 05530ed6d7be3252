// What is saved under a name: an object, a variable, or a list of such.
//
//   Checkpoint checkpoint({{"model", model}, {"step", step}, {"layers", std::vector<Variable>{w, b}}});
//
// The item shares the object's state: the object itself may go.
#pragma once
#include <concepts>
#include <memory>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "core/export.h"
#include "eager/trackable.h"

TANDEM_EXPORT_BEGIN
namespace tandem::train {

class CheckpointItem {
 public:
  CheckpointItem(std::string name, const Variable& variable) : name_(std::move(name)), variable_(variable) {}
  CheckpointItem(std::string name, const Trackable& object) : CheckpointItem(std::move(name), object.state()) {}
  CheckpointItem(std::string name, std::shared_ptr<ObjectState> object) : name_(std::move(name)), object_(std::move(object)) {}
  template <std::derived_from<Trackable> T>
  CheckpointItem(std::string name, const std::shared_ptr<T>& object) : CheckpointItem(std::move(name), object->state()) {}
  // A list: its elements are named "0", "1", ….
  template <std::ranges::input_range R>
    requires(!std::derived_from<R, Trackable>)
  CheckpointItem(std::string name, const R& list) : name_(std::move(name)), object_(std::make_shared<ObjectState>()) {
    int i = 0;
    for (const auto& element : list) CheckpointItem(std::to_string(i++), element).AddTo(*object_);
  }

  const std::string& name() const { return name_; }
  const std::shared_ptr<ObjectState>& object() const { return object_; }  // null when it is a variable
  // Errors of ObjectState::Add.
  void AddTo(ObjectState& parent) const {
    if (object_) parent.Add(name_, object_);
    else parent.Add(name_, variable_);
  }

 private:
  std::string name_;
  Variable variable_;
  std::shared_ptr<ObjectState> object_;
};

}  // namespace tandem::train
TANDEM_EXPORT_END
