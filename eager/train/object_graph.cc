#include "eager/train/object_graph.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/status.h"
#include "proto/trackable_object_graph.pb.h"

namespace tandem::train {
namespace {

// A name inside a path: "/" and the "." of reserved names are escaped.
std::string Escape(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '.') out += "..";
    else if (c == '/') out += ".S";
    else out += c;
  }
  return out;
}

std::string ValueKey(const std::string& path, std::string_view name) {
  return absl::StrCat(path, "/.ATTRIBUTES/", Escape(name));
}

SavedValue VariableValue(const std::string& path, const Variable& variable) {
  return {kVariableValue, variable.name(), ValueKey(path, kVariableValue), variable, {}};
}

class Builder {
 public:
  std::vector<ObjectNode> Build(const std::shared_ptr<ObjectState>& root) {
    Add("", root, Variable());
    for (size_t i = 0; i < nodes_.size(); ++i) {  // grows meanwhile
      if (!nodes_[i].object) continue;
      const std::shared_ptr<ObjectState> object = nodes_[i].object;
      const std::string prefix = nodes_[i].path.empty() ? "" : nodes_[i].path + "/";
      for (const ObjectState::Child& child : object->children()) {
        const int id = Add(prefix + Escape(child.name), child.object, child.variable);
        nodes_[i].children.emplace_back(child.name, id);
      }
      for (const ObjectState::Value& value : object->values())
        nodes_[i].values.push_back({value.name, value.name, ValueKey(nodes_[i].path, value.name), Variable(), value});
    }
    const size_t n = nodes_.size();
    for (size_t i = 0; i < n; ++i)
      if (nodes_[i].object) AddSlots(i);
    return std::move(nodes_);
  }

 private:
  int Add(std::string path, const std::shared_ptr<ObjectState>& object, const Variable& variable) {
    const void* identity = object ? IdentityOf(object) : IdentityOf(variable);
    const auto [it, added] = ids_.emplace(identity, static_cast<int>(nodes_.size()));
    if (!added) return it->second;
    ObjectNode& node = nodes_.emplace_back();
    node.object = object;
    node.variable = variable;
    node.path = std::move(path);
    if (variable.defined()) node.values.push_back(VariableValue(node.path, variable));
    return it->second;
  }

  // Slots in the order of their names' first use, then of the variables' numbers, as TensorFlow writes them.
  void AddSlots(size_t optimizer) {
    const std::span<const ObjectState::Slot> slots = nodes_[optimizer].object->slots();
    std::vector<std::string_view> names;
    for (const auto& slot : slots)
      if (std::find(names.begin(), names.end(), slot.name) == names.end()) names.push_back(slot.name);
    for (const std::string_view name : names) {
      std::map<int, const ObjectState::Slot*> by_variable;
      for (const auto& slot : slots)
        if (const auto it = ids_.find(IdentityOf(slot.original)); slot.name == name && it != ids_.end()) by_variable[it->second] = &slot;
      for (const auto& [original, slot] : by_variable) {
        const std::string path = absl::StrCat(nodes_[original].path, "/.OPTIMIZER_SLOT/", nodes_[optimizer].path, "/", Escape(name));
        const int id = Add(path, nullptr, slot->slot);  // before nodes_ is indexed: it grows
        nodes_[optimizer].slots.push_back({original, slot->name, id});
      }
    }
  }

  std::vector<ObjectNode> nodes_;
  std::unordered_map<const void*, int> ids_;
};

// Nodes that hold values or lead to some.
std::vector<bool> LeadToValues(const std::vector<ObjectNode>& nodes) {
  std::vector<std::vector<int>> parents(nodes.size());
  std::vector<bool> leads(nodes.size());
  std::vector<int> work;
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (const auto& [name, child] : nodes[i].children) parents[child].push_back(static_cast<int>(i));
    if (nodes[i].values.empty() && nodes[i].slots.empty()) continue;
    leads[i] = true;
    work.push_back(static_cast<int>(i));
  }
  while (!work.empty()) {
    const int node = work.back();
    work.pop_back();
    for (const int parent : parents[node]) {
      if (leads[parent]) continue;
      leads[parent] = true;
      work.push_back(parent);
    }
  }
  return leads;
}

}  // namespace

const void* IdentityOf(const Variable& variable) { return variable.handle().rep(); }

std::vector<ObjectNode> BuildObjectGraph(const std::shared_ptr<ObjectState>& root) { return Builder().Build(root); }

std::string SerializeObjectGraph(const std::vector<ObjectNode>& nodes) {
  const std::vector<bool> leads = LeadToValues(nodes);
  proto::TrackableObjectGraph graph;
  for (size_t i = 0; i < nodes.size(); ++i) {
    auto* node = graph.add_nodes();
    for (const auto& [name, id] : nodes[i].children) {
      auto* child = node->add_children();
      child->set_local_name(name);
      child->set_node_id(id);
    }
    for (const SavedValue& value : nodes[i].values) {
      auto* attribute = node->add_attributes();
      attribute->set_name(value.name);
      attribute->set_full_name(value.full_name);
      attribute->set_checkpoint_key(value.key);
    }
    for (const ObjectNode::Slot& slot : nodes[i].slots) {
      auto* reference = node->add_slot_variables();
      reference->set_original_variable_node_id(slot.original);
      reference->set_slot_name(slot.name);
      reference->set_slot_variable_node_id(slot.slot);
    }
    node->mutable_has_checkpoint_values()->set_value(leads[i]);
  }
  return graph.SerializeAsString();
}

}  // namespace tandem::train
