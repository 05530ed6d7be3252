// The objects below a root as a checkpoint describes them: numbered breadth first, each value under the shortest path of
// names that leads to it (TensorFlow's TrackableObjectGraph).
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eager/trackable.h"

namespace tandem::train {

inline constexpr char kObjectGraphKey[] = "_CHECKPOINTABLE_OBJECT_GRAPH";
inline constexpr char kVariableValue[] = "VARIABLE_VALUE";

// One tensor of a node: a variable's value, or a Value of an object.
struct SavedValue {
  std::string name;       // kVariableValue, or the Value's
  std::string full_name;  // the variable's own
  std::string key;        // in the bundle
  Variable variable;      // when it is one
  ObjectState::Value value;
};

struct ObjectNode {
  std::shared_ptr<ObjectState> object;  // or
  Variable variable;
  std::string path;  // "model/dense/kernel"; "" for the root
  std::vector<std::pair<std::string, int>> children;
  std::vector<SavedValue> values;
  struct Slot {
    int original;
    std::string name;
    int slot;
  };
  std::vector<Slot> slots;
};

// Node 0 is the root; slots of variables that are reachable come last. An object that is held twice is there once.
std::vector<ObjectNode> BuildObjectGraph(const std::shared_ptr<ObjectState>& root);

// A serialized TrackableObjectGraph.
std::string SerializeObjectGraph(const std::vector<ObjectNode>& nodes);

// Which object a node is: no two living ones have the same.
const void* IdentityOf(const Variable& variable);
inline const void* IdentityOf(const std::shared_ptr<ObjectState>& object) { return object.get(); }

}  // namespace tandem::train
