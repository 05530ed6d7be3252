#include "eager/tape_explain.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr size_t kMaxOpsShown = 12;

int32_t Id(int32_t value) { return value & static_cast<int32_t>(~kCutBit); }

class Path {
 public:
  explicit Path(const TapeContext& tape) : tape_(tape), records_(tape.Records()) {}

  // Where a search goes: where gradients flow, also where an op cuts them, also into what custom gradients computed.
  enum Through { kGradients, kCuts, kCustom };

  struct Hop {
    const TapeRecord* record;
    int input;  // through which the path goes on; at or past num_inputs: into what a custom gradient computed
  };

  // The records from `from` back to `to`, nearest to `from` first; empty when there is no path.
  std::vector<Hop> Find(int32_t from, int32_t to, Through through) const {
    struct Step {
      const TapeRecord* record;  // whose output the value is
      int32_t back;              // the step that reads it; -1 at the start
      int via;                   // by that input
    };
    std::vector<Step> steps;
    std::vector<bool> seen(tape_.num_values());
    const auto visit = [&](int32_t value, int32_t back, int via) {
      if (value == kNoValue || (value < 0 && through == kGradients) || seen[Id(value)]) return;
      seen[Id(value)] = true;
      const TapeRecord* record = Producer(Id(value));
      if (record && through == kGradients && record->cut) record = nullptr;
      steps.push_back({record, back, via});
    };
    visit(from, -1, 0);
    for (size_t i = 0; i < steps.size(); ++i) {
      const TapeRecord* record = steps[i].record;
      if (!record) continue;
      std::vector<int32_t> values(record->values().begin(), record->values().end());
      if (through == kCustom && record->custom >= 0) {
        const auto hidden = tape_.custom_hides(record->custom);
        values.insert(values.end(), hidden.begin(), hidden.end());
      }
      for (int k = 0; k < static_cast<int>(values.size()); ++k) {
        const int32_t value = values[k];
        if (through == kGradients && (value < 0 || record->blocked & TapeRecord::InputBit(k))) continue;
        if (value != kNoValue && Id(value) == Id(to)) {
          std::vector<Hop> path;
          int via = k;
          for (auto at = static_cast<int32_t>(i); at >= 0; at = steps[at].back) {
            path.push_back({steps[at].record, via});
            via = steps[at].via;
          }
          std::reverse(path.begin(), path.end());
          return path;
        }
        visit(value, static_cast<int32_t>(i), k);
      }
    }
    return {};
  }

  std::string Describe(const TapeRecord& r) const {
    const std::string at = r.origin.ToString();
    const std::string name(r.custom >= 0 ? tape_.custom_name(r.custom) : OpName(r.op));
    return at.empty() ? name : absl::StrCat(name, " at ", at);
  }

  // Why no gradient passes; "" where it does.
  std::string Cut(const Hop& hop) const {
    const TapeRecord& r = *hop.record;
    if (r.blocked & TapeRecord::InputBit(hop.input)) return absl::StrCat("the gradient of ", Describe(r), " gives nothing for this input");
    if (!r.cut) return "";
    const OpSchema& schema = GetOp(r.op);
    const std::string cut = absl::StrCat("the path is cut by ", Describe(r));
    if (schema.differentiable())
      return absl::StrCat(cut, ": it gives ", std::string(DTypeName(r.infos()[r.num_inputs].dtype)), ", which has no gradient");
    return absl::StrCat(cut, schema.not_differentiable().empty() ? ", which has no gradient" : absl::StrCat(": ", schema.not_differentiable()));
  }

 private:
  const TapeRecord* Producer(int32_t value) const {
    auto it = std::upper_bound(records_.begin(), records_.end(), value, [](int32_t v, const TapeRecord* r) { return v < r->first_output; });
    // Records without outputs of that value: a watched tensor's number lies between two records.
    if (it == records_.begin()) return nullptr;
    const TapeRecord* r = *--it;
    return value < r->first_output + r->num_outputs ? r : nullptr;
  }

  const TapeContext& tape_;
  const std::vector<TapeRecord*> records_;
};

}  // namespace

std::string ExplainPath(const TapeContext& tape, const Tensor& y, const Source& x) {
  if (!y.defined()) return "y is an undefined tensor";
  if (!x.tensor.defined()) return "x is undefined";
  const int32_t to = tape.ValueOf(*x.tensor.rep()), from = tape.ValueOf(*y.rep());
  if (to == kNoValue) {
    if (!x.variable && !IsDifferentiable(x.dtype)) return absl::StrCat("x is ", std::string(DTypeName(x.dtype)), ", which has no gradient");
    return x.variable ? "x was not read while the tape recorded (or is not trainable: Watch it)"
                      : "x is not watched by this tape: call Watch(x) before y is computed from it";
  }
  if (from == kNoValue) return "y was not computed from anything this tape watches while it recorded";
  if (from == to) return "y is x";

  const Path path(tape);
  if (const auto ops = path.Find(from, to, Path::kGradients); !ops.empty()) {
    std::string text = "y depends on x through ";
    for (size_t i = 0; i < ops.size(); ++i) {
      if (i == kMaxOpsShown) return absl::StrCat(text, ", … (", ops.size() - i, " more)");
      absl::StrAppend(&text, i ? ", " : "", path.Describe(*ops[i].record));
    }
    return text;
  }
  for (const Path::Hop& hop : path.Find(from, to, Path::kCuts))
    if (std::string why = path.Cut(hop); !why.empty()) return why;
  for (const auto& [record, input] : path.Find(from, to, Path::kCustom))
    if (input >= record->num_inputs)
      return absl::StrCat("the path is cut by ", path.Describe(*record), ": a custom gradient flows to its function's arguments only");
  return "y does not depend on x in anything the tape recorded (was x watched only after y was computed?)";
}

}  // namespace tandem
