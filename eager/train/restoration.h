// What a Restore does, now and later: walks a checkpoint's object graph beside the objects', gives values to what matches,
// and stays as a listener where the checkpoint knows of more than is there yet.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/bundle/bundle_reader.h"
#include "core/status.h"
#include "eager/trackable.h"

namespace tandem::train {

class Restoration : public ObjectState::Listener, public std::enable_shared_from_this<Restoration> {
 public:
  // Errors of BundleReader; DATA_LOSS when the object graph makes no sense.
  static absl::StatusOr<std::shared_ptr<Restoration>> Open(const std::string& prefix);

  // Restores what is there below root, and listens from then on. When it fails nothing has changed: every value is read
  // and checked before the first is assigned. INVALID_ARGUMENT: a value of another dtype or shape. FAILED_PRECONDITION: a
  // variable of a graph.
  absl::Status Run(const std::shared_ptr<ObjectState>& root);

  const std::string& prefix() const { return reader_->prefix(); }
  // Keys of the checkpoint's values that no object has taken.
  std::vector<std::string> Unused() const;
  // Paths of variables and values below root that got nothing.
  std::vector<std::string> Missing(const std::shared_ptr<ObjectState>& root) const;
  bool restored_anything() const { return !taken_.empty(); }

  void Added(ObjectState& parent, const ObjectState::Child& child) override;
  void Added(ObjectState& parent, const ObjectState::Slot& slot) override;
  void Added(ObjectState& parent, const ObjectState::Value& value) override;

 private:
  struct Node {  // of the checkpoint
    std::vector<std::pair<std::string, int>> children;
    std::vector<std::pair<std::string, std::string>> values;  // name, key
    struct Slot {
      int original;
      std::string name;
      int slot;
    };
    std::vector<Slot> slots;
    bool has_slots = false;  // it is the original of some
    Variable original;       // then: the variable that took it
  };
  struct Assignment {
    std::string key;
    Variable variable;         // when it is one
    ObjectState::Value value;  // else
    const void* owner = nullptr;
    Tensor tensor;
  };
  // One walk: what was met in it, and the values on their way.
  struct Walk {
    bool later = false;  // an object came after Run: what was restored is not restored again
    std::unordered_set<const void*> met;
    std::vector<Assignment> assignments;
  };

  absl::Status ReadGraph();
  void MatchObject(int id, const std::shared_ptr<ObjectState>& object, Walk& walk);
  void MatchChild(int id, const ObjectState::Child& child, Walk& walk);
  void MatchVariable(int id, const Variable& variable, Walk& walk);
  void MatchValue(int id, const ObjectState::Value& value, const void* owner, Walk& walk);
  void MatchSlot(const Node::Slot& known, const ObjectState::Slot& slot, Walk& walk);
  void MatchNames(const std::shared_ptr<ObjectState>& object, Walk& walk);
  void MatchName(const Variable& variable, Walk& walk);
  void MatchSlots(Walk& walk);
  void Listen(const std::shared_ptr<ObjectState>& object);
  void StopListening();
  absl::Status Assign(Walk& walk);
  absl::Status CheckFits(const Assignment& a) const;

  std::unique_ptr<BundleReader> reader_;
  bool by_name_ = false;  // the checkpoint has no object graph: keys are variables' names
  std::vector<Node> nodes_;
  std::unordered_map<const void*, int> ids_;  // objects that listen, to nodes
  std::unordered_map<const void*, std::weak_ptr<ObjectState>> listening_;
  std::set<std::string, std::less<>> keys_, taken_;         // of values; those given to objects
  std::unordered_set<const void*> done_;                    // variables that got a value
  std::set<std::pair<const void*, std::string>> done_values_;
};

}  // namespace tandem::train
