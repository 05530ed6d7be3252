// The one log of rewrites: what each pass did, why, and what it nearly did.
//
// An Event is one rewrite as a person thinks of it; it holds the edits that carried it out. Replaying the edits of all
// events on the input graph gives the output graph exactly, so report, name map, checker and ablation read one truth.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/status.h"
#include "graph/node_graph.h"

namespace tandem {

struct GraphRoots;

// The primitive changes of a graph.
struct Edit {
  enum class Kind : uint8_t {
    kAdd,       // node: appended
    kRedirect,  // every reader of `from`, fetches too, reads `to`
    kMoveControls,  // every node that waits for from.node waits for to.node; targets too
    kReplace,   // node id from.node becomes `node` (another op, other inputs), same name
    kTarget,    // node from.node runs although nothing reads it
    kCompact,   // nodes are dropped and renumbered: keep[id] is the new id, -1 gone
  };
  Kind kind;
  TensorId from, to;
  Node node;
  std::vector<int32_t> keep;
};

struct Event {
  std::string_view pass;
  std::string_view rule;             // within the pass: "multiply by one", "constant", "merge"
  bool near_miss = false;            // it was not done; `reason` says why
  std::vector<std::string> before;   // names of the nodes it replaced
  std::vector<std::string> after;    // names of the nodes that do their work now
  std::string reason;
  int64_t saved_bytes = 0;           // memory traffic it spares a Run, as far as shapes tell
  std::vector<Edit> edits;
};

class EventLog {
 public:
  std::vector<Event> events;

  // Rewrites by pass and rule with counts, then each of them, then near misses: for people.
  std::string ToText(size_t max_lines = 200) const;
  // The last event that changed the graph, as a line of ToText; "" when there was none.
  std::string LastRewrite() const;
  // A JSON array of events without their edits.
  std::string ToJson() const;
  // Where a tensor of the input graph lives in the output graph; node -1 when nothing computes it any more.
  TensorId Find(TensorId tensor) const;
  // Carries the edits out again on a copy of the input graph.
  absl::Status Replay(NodeGraph& graph, GraphRoots& roots) const;
};

}  // namespace tandem
