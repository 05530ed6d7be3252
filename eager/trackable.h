// Objects with state: variables and other such objects under names. A layer, a model, an optimizer, a metric or an
// iterator is Trackable; a checkpoint walks what they hold.
//
//   class Counter : public Trackable {
//    public:
//     Counter() { state()->Add("count", count_); }
//    private:
//     Variable count_{int64_t{0}};
//   };
//
// The state is shared: who saves an object keeps its variables alive, even past the object itself. One thread at a time
// changes an object's state.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/export.h"
#include "core/variable.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

class ObjectState {
 public:
  // Exactly one of the two is set.
  struct Child {
    std::string name;
    Variable variable;
    std::shared_ptr<ObjectState> object;
  };
  // What an optimizer keeps for a variable it updates: "m" of layer.kernel.
  struct Slot {
    Variable original;
    std::string name;
    Variable slot;
  };
  // State that is no variable: the position of an iterator. restore gets what save gave, in this process or another.
  struct Value {
    std::string name;
    std::function<Tensor()> save;
    std::function<void(const Tensor&)> restore;
  };
  // Told of what is added from now on: how a restore reaches variables that are made later.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void Added(ObjectState& /*parent*/, const Child& /*child*/) {}
    virtual void Added(ObjectState& /*parent*/, const Slot& /*slot*/) {}
    virtual void Added(ObjectState& /*parent*/, const Value& /*value*/) {}
  };

  // ALREADY_EXISTS when the object holds something else by that name; adding the same again does nothing.
  // INVALID_ARGUMENT: an empty name, an undefined child.
  void Add(std::string_view name, const Variable& variable);
  void Add(std::string_view name, std::shared_ptr<ObjectState> object);
  void AddSlot(const Variable& original, std::string_view name, const Variable& slot);
  void AddValue(Value value);

  std::span<const Child> children() const { return children_; }  // in the order of adding
  std::span<const Slot> slots() const { return slots_; }
  std::span<const Value> values() const { return values_; }
  const Child* Find(std::string_view name) const;  // null when there is none

  // The last one added is told last. A listener is kept until the object goes or it is removed.
  void AddListener(std::shared_ptr<Listener> listener) { listeners_.push_back(std::move(listener)); }
  void RemoveListener(const Listener* listener);

 private:
  template <class T>
  void Tell(const T& added);
  std::vector<Child> children_;
  std::vector<Slot> slots_;
  std::vector<Value> values_;
  std::vector<std::shared_ptr<Listener>> listeners_;
};

// The base of such objects: they have identity, so they move and are not copied.
class Trackable {
 public:
  virtual ~Trackable() = default;
  Trackable(Trackable&&) = default;
  Trackable& operator=(Trackable&&) = default;
  Trackable(const Trackable&) = delete;
  Trackable& operator=(const Trackable&) = delete;
  // Null once the object was moved from.
  const std::shared_ptr<ObjectState>& state() const { return state_; }

 protected:
  Trackable() : state_(std::make_shared<ObjectState>()) {}

 private:
  std::shared_ptr<ObjectState> state_;
};

}  // namespace tandem
TANDEM_EXPORT_END
