#include "eager/train/restoration.h"

#include <algorithm>

#include "core/context.h"
#include "eager/train/object_graph.h"
#include "proto/trackable_object_graph.pb.h"

namespace tandem::train {
namespace {

std::string Describe(DType dtype, const Shape& shape) { return absl::StrCat(std::string(DTypeName(dtype)), shape.ToString()); }

}  // namespace

absl::StatusOr<std::shared_ptr<Restoration>> Restoration::Open(const std::string& prefix) {
  auto restoration = std::make_shared<Restoration>();
  ASSIGN_OR_RETURN(restoration->reader_, BundleReader::Open(prefix));
  restoration->reader_->HoldFiles();
  RETURN_IF_ERROR(restoration->ReadGraph());
  return restoration;
}

absl::Status Restoration::ReadGraph() {
  if (!reader_->Find(kObjectGraphKey)) {
    by_name_ = true;
    for (const BundleEntry& entry : reader_->entries()) keys_.insert(entry.key);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Tensor text, reader_->Read(kObjectGraphKey));
  const auto bad = [&](const auto&... why) {
    return absl::DataLossError(absl::StrCat(reader_->prefix(), ": the object graph ", why...));
  };
  proto::TrackableObjectGraph graph;
  if (text.dtype() != kString || text.size() != 1 || !graph.ParseFromString(text.data<std::string>()[0]) || graph.nodes().empty())
    return bad("cannot be parsed");
  const int n = graph.nodes_size();
  nodes_.resize(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) {
    for (const auto& child : graph.nodes(i).children()) {
      if (child.node_id() < 0 || child.node_id() >= n) return bad("names node ", child.node_id(), " of ", n);
      nodes_[i].children.emplace_back(child.local_name(), child.node_id());
    }
    for (const auto& attribute : graph.nodes(i).attributes()) {
      nodes_[i].values.emplace_back(attribute.name(), attribute.checkpoint_key());
      keys_.insert(attribute.checkpoint_key());
    }
    for (const auto& slot : graph.nodes(i).slot_variables()) {
      const int original = slot.original_variable_node_id(), variable = slot.slot_variable_node_id();
      if (original < 0 || original >= n || variable < 0 || variable >= n) return bad("names slot ", variable, " of node ", original, ", there are ", n);
      nodes_[i].slots.push_back({original, slot.slot_name(), variable});
      nodes_[original].has_slots = true;
    }
  }
  return absl::OkStatus();
}

void Restoration::Listen(const std::shared_ptr<ObjectState>& object) {
  std::weak_ptr<ObjectState>& known = listening_[object.get()];
  if (!known.expired()) return;
  known = object;
  object->AddListener(shared_from_this());
}

void Restoration::StopListening() {
  for (const auto& [identity, weak] : listening_)
    if (const auto object = weak.lock()) object->RemoveListener(this);
  listening_.clear();
}

void Restoration::MatchVariable(int id, const Variable& variable, Walk& walk) {
  if (!walk.met.insert(IdentityOf(variable)).second) return;
  Node& node = nodes_[id];
  if (node.has_slots) node.original = variable;
  for (const auto& [name, key] : node.values)
    if (name == kVariableValue && !(walk.later && taken_.contains(key))) walk.assignments.push_back({key, variable, {}, nullptr, {}});
}

void Restoration::MatchValue(int id, const ObjectState::Value& value, const void* owner, Walk& walk) {
  for (const auto& [name, key] : nodes_[id].values)
    if (name == value.name && !(walk.later && taken_.contains(key))) walk.assignments.push_back({key, Variable(), value, owner, {}});
}

void Restoration::MatchChild(int id, const ObjectState::Child& child, Walk& walk) {
  const auto it = std::ranges::find(nodes_[id].children, child.name, [](const auto& c) -> const std::string& { return c.first; });
  if (it == nodes_[id].children.end()) return;
  if (child.object) MatchObject(it->second, child.object, walk);
  else MatchVariable(it->second, child.variable, walk);
}

// Breadth first, so that of two names of an object the shorter path counts, as when it was saved.
void Restoration::MatchObject(int id, const std::shared_ptr<ObjectState>& object, Walk& walk) {
  std::vector<std::pair<int, std::shared_ptr<ObjectState>>> queue = {{id, object}};
  if (!walk.met.insert(object.get()).second) return;
  for (size_t i = 0; i < queue.size(); ++i) {
    const auto [node, state] = queue[i];
    ids_[state.get()] = node;
    Listen(state);
    for (const ObjectState::Value& value : state->values()) MatchValue(node, value, state.get(), walk);
    for (const ObjectState::Child& child : state->children()) {
      if (!child.object) {
        MatchChild(node, child, walk);
        continue;
      }
      const auto it = std::ranges::find(nodes_[node].children, child.name, [](const auto& c) -> const std::string& { return c.first; });
      if (it != nodes_[node].children.end() && walk.met.insert(child.object.get()).second) queue.emplace_back(it->second, child.object);
    }
  }
}

void Restoration::MatchSlot(const Node::Slot& known, const ObjectState::Slot& slot, Walk& walk) {
  const Variable& original = nodes_[known.original].original;
  if (slot.name == known.name && original.defined() && IdentityOf(original) == IdentityOf(slot.original)) MatchVariable(known.slot, slot.slot, walk);
}

void Restoration::MatchSlots(Walk& walk) {
  for (const auto& [identity, weak] : listening_) {
    const auto object = weak.lock();
    if (!object) continue;
    for (const Node::Slot& known : nodes_[ids_[identity]].slots)
      for (const ObjectState::Slot& slot : object->slots()) MatchSlot(known, slot, walk);
  }
}

void Restoration::MatchName(const Variable& variable, Walk& walk) {
  if (keys_.contains(variable.name()) && !(walk.later && taken_.contains(variable.name())) && walk.met.insert(IdentityOf(variable)).second)
    walk.assignments.push_back({variable.name(), variable, {}, nullptr, {}});
}

void Restoration::MatchNames(const std::shared_ptr<ObjectState>& object, Walk& walk) {
  for (const ObjectNode& node : BuildObjectGraph(object)) {
    if (node.object) Listen(node.object);
    else MatchName(node.variable, walk);
  }
}

absl::Status Restoration::CheckFits(const Assignment& a) const {
  if (!a.variable.defined()) return absl::OkStatus();
  if (a.variable.handle().symbolic())
    return absl::FailedPreconditionError(absl::StrCat("Restore: variable \"", a.variable.name(), "\" belongs to a graph: its value lives in a Session, which train::Saver restores"));
  const BundleEntry* entry = reader_->Find(a.key);
  if (!entry || !entry->status.ok()) return absl::OkStatus();  // reading says so
  if (entry->dtype == a.variable.dtype() && entry->shape.CompatibleWith(a.variable.shape())) return absl::OkStatus();
  return InvalidArgument("Restore: ", reader_->prefix(), ": \"", a.key, "\" is ", Describe(entry->dtype, entry->shape), ", variable \"", a.variable.name(), "\" is ",
                         Describe(a.variable.dtype(), a.variable.shape()));
}

absl::Status Restoration::Assign(Walk& walk) {
  for (const Assignment& a : walk.assignments) RETURN_IF_ERROR(CheckFits(a));
  for (Assignment& a : walk.assignments) {
    ASSIGN_OR_RETURN(a.tensor, reader_->Read(a.key));
  }
  const ContextScope eager(nullptr);  // whatever records here, values are restored at once
  try {
    for (Assignment& a : walk.assignments) {
      if (a.variable.defined()) {
        a.variable.Assign(a.tensor);
        done_.insert(IdentityOf(a.variable));
      } else {
        a.value.restore(a.tensor);
        done_values_.emplace(a.owner, a.value.name);
      }
      a.tensor = Tensor();
      taken_.insert(a.key);
    }
  } catch (...) {
    return StatusFromException(std::current_exception());
  }
  if (taken_.size() == keys_.size()) StopListening();  // nothing is left that could come later
  return absl::OkStatus();
}

absl::Status Restoration::Run(const std::shared_ptr<ObjectState>& root) {
  Walk walk;
  if (by_name_) {
    MatchNames(root, walk);
  } else {
    MatchObject(0, root, walk);
    MatchSlots(walk);
  }
  absl::Status status = Assign(walk);
  if (!status.ok()) StopListening();
  return status;
}

void Restoration::Added(ObjectState& parent, const ObjectState::Child& child) {
  const auto self = shared_from_this();  // the last value may end the listening
  Walk walk = {.later = true, .met = {}, .assignments = {}};
  if (by_name_) {
    if (child.object) MatchNames(child.object, walk);
    else MatchName(child.variable, walk);
  } else {
    MatchChild(ids_[&parent], child, walk);
    MatchSlots(walk);
  }
  ThrowIfError(Assign(walk));
}

void Restoration::Added(ObjectState& parent, const ObjectState::Slot& slot) {
  const auto self = shared_from_this();  // the last value may end the listening
  Walk walk = {.later = true, .met = {}, .assignments = {}};
  if (by_name_) {
    MatchName(slot.slot, walk);
  } else {
    for (const Node::Slot& known : nodes_[ids_[&parent]].slots) MatchSlot(known, slot, walk);
  }
  ThrowIfError(Assign(walk));
}

void Restoration::Added(ObjectState& parent, const ObjectState::Value& value) {
  if (by_name_) return;
  const auto self = shared_from_this();  // the last value may end the listening
  Walk walk = {.later = true, .met = {}, .assignments = {}};
  MatchValue(ids_[&parent], value, &parent, walk);
  ThrowIfError(Assign(walk));
}

std::vector<std::string> Restoration::Unused() const {
  std::vector<std::string> unused;
  std::ranges::set_difference(keys_, taken_, std::back_inserter(unused));
  return unused;
}

std::vector<std::string> Restoration::Missing(const std::shared_ptr<ObjectState>& root) const {
  std::vector<std::string> missing;
  for (const ObjectNode& node : BuildObjectGraph(root))
    for (const SavedValue& value : node.values) {
      const bool done = value.variable.defined() ? done_.contains(IdentityOf(value.variable))
                                                 : done_values_.contains({IdentityOf(node.object), value.name});
      if (!done) missing.push_back(value.key);
    }
  return missing;
}

}  // namespace tandem::train
