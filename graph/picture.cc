#include "graph/picture.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/graph_state.h"
#include "graph/json_text.h"

namespace tandem {
namespace {

std::string Escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out;
}

std::string OutputText(const Node& node) {
  if (node.outputs.empty()) return "";
  std::string text = std::string(DTypeName(node.outputs[0].dtype)) + node.outputs[0].shape.ToString();
  if (node.outputs.size() > 1) absl::StrAppend(&text, " +", node.outputs.size() - 1);
  return text;
}

// What kind of node it is, as a fill colour: inputs, constants, state, the rest.
const char* Fill(const Node& node) {
  if (node.op == Op<"Placeholder">()) return "#d6eaf8";
  if (node.op == Op<"Const">()) return "#eeeeee";
  if (node.schema().has(kStateful)) return "#fdebd0";
  return "#e8f6e8";
}

constexpr int kWidth = 168, kHeight = 44, kGapX = 20, kGapY = 44, kMargin = 16;

// Layers by the longest path from an input; in a layer, nodes stand near the middle of what they read.
struct Layout {
  std::vector<int32_t> nodes, layer;   // by position in `nodes`, and each one's layer
  std::vector<double> x;
  int layers = 0, widest = 0;

  Layout(const NodeGraph& graph, std::span<const int32_t> shown, const std::vector<int32_t>& index) : nodes(shown.begin(), shown.end()) {
    layer.assign(nodes.size(), 0);
    x.assign(nodes.size(), 0);
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Node& node = graph.node(nodes[i]);
      const auto below = [&](int32_t id) {
        if (index[id] >= 0) layer[i] = std::max(layer[i], layer[index[id]] + 1);
      };
      for (TensorId t : node.inputs) below(t.node);
      for (int32_t c : node.controls) below(c);
      layers = std::max(layers, layer[i] + 1);
    }
    // Constants and placeholders move down to just above their first reader: edges stay short.
    std::vector<int32_t> lowest(nodes.size(), layers);
    for (size_t i = 0; i < nodes.size(); ++i)
      for (TensorId t : graph.node(nodes[i]).inputs)
        if (index[t.node] >= 0) lowest[index[t.node]] = std::min(lowest[index[t.node]], layer[i] - 1);
    for (size_t i = 0; i < nodes.size(); ++i)
      if (graph.node(nodes[i]).inputs.empty() && lowest[i] < layers) layer[i] = std::max(lowest[i], 0);

    std::vector<std::vector<int32_t>> rows(layers);
    for (size_t i = 0; i < nodes.size(); ++i) rows[layer[i]].push_back(static_cast<int32_t>(i));
    for (const auto& row : rows) widest = std::max(widest, static_cast<int>(row.size()));
    for (auto& row : rows) {
      std::vector<double> middle(nodes.size(), 0);
      for (const int32_t i : row) {
        double sum = 0;
        int n = 0;
        for (TensorId t : graph.node(nodes[i]).inputs)
          if (index[t.node] >= 0 && layer[index[t.node]] < layer[i]) sum += x[index[t.node]], ++n;
        middle[i] = n ? sum / n : widest / 2.0;
      }
      std::stable_sort(row.begin(), row.end(), [&](int32_t a, int32_t b) { return middle[a] < middle[b]; });
      const double left = (widest - static_cast<double>(row.size())) / 2;
      for (size_t k = 0; k < row.size(); ++k) x[row[k]] = left + static_cast<double>(k);
    }
  }
  double Left(size_t i) const { return kMargin + x[i] * (kWidth + kGapX); }
  double Top(size_t i) const { return kMargin + layer[i] * (kHeight + kGapY); }
};

}  // namespace

std::string ToSvg(const Graph& graph, int max_nodes) {
  const GraphState& state = graph.state();
  std::shared_lock lock(state.mutex);
  const auto order = state.nodes.TopologicalOrder();
  if (!order.ok()) ThrowError(order.status());
  const size_t first = order->size() > static_cast<size_t>(max_nodes) ? order->size() - max_nodes : 0;
  const std::span<const int32_t> shown(order->data() + first, order->size() - first);
  std::vector<int32_t> index(state.nodes.size(), -1);
  for (size_t i = 0; i < shown.size(); ++i) index[shown[i]] = static_cast<int32_t>(i);
  const Layout layout(state.nodes, shown, index);

  const double width = 2 * kMargin + std::max(layout.widest, 1) * (kWidth + kGapX) - kGapX;
  const double height = 2 * kMargin + std::max(layout.layers, 1) * (kHeight + kGapY) - kGapY + (first ? 20 : 0);
  std::string out = absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width, "\" height=\"", height, "\" viewBox=\"0 0 ", width, " ", height,
                                 "\" font-family=\"Helvetica,Arial,sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
                                 "<defs><marker id=\"a\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" orient=\"auto\">"
                                 "<path d=\"M0,1 L7,4 L0,7 z\" fill=\"#666\"/></marker></defs>\n");
  const auto edge = [&](size_t from, size_t to, bool control) {
    const double x1 = layout.Left(from) + kWidth / 2, y1 = layout.Top(from) + kHeight, x2 = layout.Left(to) + kWidth / 2, y2 = layout.Top(to) - 1;
    absl::StrAppend(&out, "<path d=\"M", x1, ",", y1, " C", x1, ",", y1 + kGapY / 2, " ", x2, ",", y2 - kGapY / 2, " ", x2, ",", y2,
                    "\" fill=\"none\" stroke=\"#666\"", control ? " stroke-dasharray=\"4 3\"" : "", " marker-end=\"url(#a)\"/>\n");
  };
  for (size_t i = 0; i < shown.size(); ++i) {
    for (TensorId t : state.nodes.node(shown[i]).inputs)
      if (index[t.node] >= 0) edge(index[t.node], i, false);
    for (int32_t c : state.nodes.node(shown[i]).controls)
      if (index[c] >= 0) edge(index[c], i, true);
  }
  for (size_t i = 0; i < shown.size(); ++i) {
    const Node& node = state.nodes.node(shown[i]);
    std::string name(node.name);
    if (name.size() > 26) name = "…" + name.substr(name.size() - 25);
    const double x = layout.Left(i), y = layout.Top(i), middle = x + kWidth / 2;
    absl::StrAppend(&out, "<g><title>", Escape(node.name), "</title><rect x=\"", x, "\" y=\"", y, "\" width=\"", kWidth, "\" height=\"", kHeight,
                    "\" rx=\"6\" fill=\"", Fill(node), "\" stroke=\"#888\"/>");
    absl::StrAppend(&out, "<text x=\"", middle, "\" y=\"", y + 15, "\" font-size=\"12\" font-weight=\"bold\" text-anchor=\"middle\">", Escape(OpName(node.op)), "</text>");
    absl::StrAppend(&out, "<text x=\"", middle, "\" y=\"", y + 27, "\" font-size=\"9\" fill=\"#444\" text-anchor=\"middle\">", Escape(name), "</text>");
    absl::StrAppend(&out, "<text x=\"", middle, "\" y=\"", y + 38, "\" font-size=\"9\" fill=\"#777\" text-anchor=\"middle\">", Escape(OutputText(node)), "</text></g>\n");
  }
  if (first) absl::StrAppend(&out, "<text x=\"", kMargin, "\" y=\"", height - 6, "\" font-size=\"11\">The last ", shown.size(), " of ", order->size(), " nodes</text>\n");
  return out + "</svg>\n";
}

std::string ToDot(const Graph& graph) {
  const GraphState& state = graph.state();
  std::shared_lock lock(state.mutex);
  std::string out = "digraph tandem {\n  node [shape=box, style=\"rounded,filled\", fontname=Helvetica, fontsize=10];\n";
  for (int32_t id = 0; id < state.nodes.size(); ++id) {
    const Node& node = state.nodes.node(id);
    absl::StrAppend(&out, "  n", id, " [label=", JsonText(absl::StrCat(std::string(OpName(node.op)), "\n", std::string(node.name), "\n", OutputText(node))),
                    ", fillcolor=\"", Fill(node), "\"];\n");
    for (TensorId t : node.inputs) absl::StrAppend(&out, "  n", t.node, " -> n", id, t.output ? absl::StrCat(" [label=\"", t.output, "\"]") : "", ";\n");
    for (int32_t c : node.controls) absl::StrAppend(&out, "  n", c, " -> n", id, " [style=dashed];\n");
  }
  return out + "}\n";
}

std::string ToJson(const Graph& graph) {
  const GraphState& state = graph.state();
  std::shared_lock lock(state.mutex);
  nlohmann::json nodes = nlohmann::json::array();
  for (const Node& node : state.nodes.nodes()) {
    nlohmann::json n = {{"name", node.name}, {"op", OpName(node.op)}, {"inputs", nlohmann::json::array()}, {"outputs", nlohmann::json::array()}};
    for (TensorId t : node.inputs) n["inputs"].push_back(state.nodes.TensorName(t));
    for (int32_t c : node.controls) n["controls"].push_back(state.nodes.node(c).name);
    if (!node.device().empty()) n["device"] = node.device();
    for (const OpAttr& attr : node.schema().attrs())
      if (attr.explicit_index >= 0) n["attrs"][attr.name] = node.attrs[attr.explicit_index].ToString();
    for (const NodeOutput& o : node.outputs) n["outputs"].push_back(std::string(DTypeName(o.dtype)) + o.shape.ToString());
    nodes.push_back(std::move(n));
  }
  return nlohmann::json{{"nodes", nodes}}.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace tandem
