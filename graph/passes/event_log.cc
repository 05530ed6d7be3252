#include "graph/passes/event_log.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_join.h"
#include "graph/json_text.h"
#include "graph/passes/optimizer.h"

namespace tandem {
namespace {

std::string Names(const std::vector<std::string>& names) {
  constexpr size_t kShown = 6;
  if (names.size() <= kShown) return absl::StrJoin(names, ", ");
  return absl::StrCat(absl::StrJoin(names.begin(), names.begin() + kShown, ", "), ", … ", names.size() - kShown, " more");
}

std::string JsonList(const std::vector<std::string>& names) {
  return absl::StrCat("[", absl::StrJoin(names, ",", [](std::string* out, const std::string& n) { *out += JsonText(n); }), "]");
}

std::string Line(const Event& e) {
  std::string text = absl::StrCat(e.near_miss ? "not done: " : "", Absl(e.pass), ": ", Absl(e.rule), ": ", Names(e.before));
  if (!e.after.empty()) absl::StrAppend(&text, " -> ", Names(e.after));
  if (!e.reason.empty()) absl::StrAppend(&text, " (", e.reason, ")");
  return text + "\n";
}

}  // namespace

std::string EventLog::LastRewrite() const {
  for (size_t i = events.size(); i-- > 0;)
    if (!events[i].near_miss && !events[i].before.empty()) return Line(events[i]);
  return "";
}

std::string EventLog::ToText(size_t max_lines) const {
  std::map<std::pair<std::string, std::string>, std::pair<int, int64_t>> counts;
  for (const Event& e : events) {
    if (e.near_miss || (e.before.empty() && e.after.empty())) continue;
    auto& [n, bytes] = counts[{std::string(e.pass), std::string(e.rule)}];
    ++n;
    bytes += e.saved_bytes;
  }
  std::string text;
  for (const auto& [key, value] : counts)
    absl::StrAppend(&text, key.first, ": ", key.second, " x ", value.first, value.second ? absl::StrCat(", spares ", value.second, " bytes a run") : "", "\n");
  size_t lines = 0;
  for (const bool near_miss : {false, true}) {
    for (const Event& e : events) {
      if (e.near_miss != near_miss || (e.before.empty() && e.after.empty())) continue;
      if (++lines > max_lines) {
        absl::StrAppend(&text, "…\n");
        return text;
      }
      text += Line(e);
    }
  }
  return text;
}

std::string EventLog::ToJson() const {
  std::string out = "[";
  bool first = true;
  for (const Event& e : events) {
    if (e.before.empty() && e.after.empty()) continue;
    absl::StrAppend(&out, first ? "\n" : ",\n", "{\"pass\":", JsonText(e.pass), ",\"rule\":", JsonText(e.rule), ",\"done\":", e.near_miss ? "false" : "true",
                    ",\"before\":", JsonList(e.before), ",\"after\":", JsonList(e.after), ",\"reason\":", JsonText(e.reason), ",\"saved_bytes\":", e.saved_bytes, "}");
    first = false;
  }
  return out + "\n]\n";
}

TensorId EventLog::Find(TensorId t) const {
  for (const Event& e : events) {
    for (const Edit& edit : e.edits) {
      if (edit.kind == Edit::Kind::kRedirect && edit.from == t) t = edit.to;
      if (edit.kind == Edit::Kind::kCompact) t.node = edit.keep[t.node];
      if (t.node < 0) return t;
    }
  }
  return t;
}

absl::Status EventLog::Replay(NodeGraph& graph, GraphRoots& roots) const {
  for (const Event& e : events) {
    for (const Edit& edit : e.edits) {
      switch (edit.kind) {
        case Edit::Kind::kAdd: graph.AddCopy(edit.node); break;
        case Edit::Kind::kReplace: graph.node(edit.from.node) = edit.node; break;
        case Edit::Kind::kTarget: roots.targets.push_back(edit.from.node); break;
        case Edit::Kind::kCompact: ApplyPruneMap(graph, roots, edit.keep); break;
        case Edit::Kind::kRedirect:
          for (int32_t id = 0; id < graph.size(); ++id)
            for (TensorId& t : graph.node(id).inputs)
              if (t == edit.from) t = edit.to;
          for (TensorId& t : roots.fetches)
            if (t == edit.from) t = edit.to;
          break;
        case Edit::Kind::kMoveControls:
          for (int32_t id = 0; id < graph.size(); ++id) {
            auto& controls = graph.node(id).controls;
            const auto at = std::find(controls.begin(), controls.end(), edit.from.node);
            if (at == controls.end()) continue;
            if (id == edit.to.node || std::find(controls.begin(), controls.end(), edit.to.node) != controls.end()) controls.erase(at);
            else *at = edit.to.node;
          }
          for (int32_t c : graph.node(edit.from.node).controls) {
            auto& controls = graph.node(edit.to.node).controls;
            if (c != edit.to.node && std::find(controls.begin(), controls.end(), c) == controls.end()) controls.push_back(c);
          }
          for (int32_t& t : roots.targets)
            if (t == edit.from.node) t = edit.to.node;
          break;
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace tandem
