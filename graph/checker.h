// The one law, asked of one graph: node by node through eager dispatch, a Session without passes, and a Session after
// every prefix of the passes give the same bits (any NaN equals any NaN).
//
//   CheckReport report = Check(graph, {{"x:0", x}}, {"y:0"});
//   if (!report.equal) std::cout << report.text;        // the pass, the rewrite and the tensor that differ first
//
// Each mode starts from fresh variables, filled by the init ops. Random ops without seeds differ by themselves: the
// report says so and compares nothing behind them.
#pragma once
#include <string>
#include <vector>

#include "core/export.h"
#include "graph/session.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct CheckReport {
  bool equal = true;
  std::string text;  // one line a mode, then the first difference in full
};

CheckReport Check(const Graph& graph, const std::vector<Feed>& feeds, const std::vector<TensorName>& fetches,
                  const std::vector<TensorName>& init = {}, OptLevel level = OptLevel::kO3);

}  // namespace tandem
TANDEM_EXPORT_END
