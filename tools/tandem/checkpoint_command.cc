// ckpt: what a checkpoint holds, and how two differ.
#include <cmath>
#include <cstdio>
#include <iostream>

#include "core/bundle/bundle_reader.h"
#include "core/status.h"
#include "core/tensor_compare.h"
#include "eager/train/object_graph.h"
#include "proto/trackable_object_graph.pb.h"
#include "tandem.h"
#include "tools/tandem/commands.h"

namespace tandem::tool {
namespace {

std::unique_ptr<BundleReader> Open(const std::string& path) {
  // The name of one of its files will do for a prefix.
  std::string prefix = path;
  if (prefix.ends_with(".index")) prefix.resize(prefix.size() - 6);
  else if (const size_t at = prefix.rfind(".data-"); at != prefix.npos) prefix.resize(at);
  return ValueOrThrow(BundleReader::Open(prefix));
}

std::string Described(const BundleEntry& entry) {
  if (!entry.status.ok()) return "damaged";
  return std::string(DTypeName(entry.dtype)) + entry.shape.ToString() + (entry.slices.empty() ? "" : " in " + std::to_string(entry.slices.size()) + " parts");
}

// "min -1.5  mean 0.02  max 2.25", with what is no number counted; short texts in full.
std::string Statistics(const Tensor& tensor) {
  if (tensor.size() == 0) return "empty";
  if (tensor.dtype() == kString) return tensor.size() == 1 ? std::to_string(tensor.data<std::string>()[0].size()) + " bytes" : "";
  if (IsComplex(tensor.dtype())) return "";
  const std::vector<double> values = tensor.ToVector<double>();
  double least = INFINITY, most = -INFINITY, sum = 0;
  int64_t odd = 0;
  for (const double v : values) {
    if (!std::isfinite(v)) {
      ++odd;
      continue;
    }
    least = std::min(least, v);
    most = std::max(most, v);
    sum += v;
  }
  const auto count = static_cast<int64_t>(values.size()) - odd;
  char text[160] = "";
  if (values.size() == 1) std::snprintf(text, sizeof text, "%g", values[0]);
  else if (count > 0) std::snprintf(text, sizeof text, "min %g  mean %g  max %g", least, sum / static_cast<double>(count), most);
  return text + (odd && values.size() > 1 ? "  " + std::to_string(odd) + " not finite" : "");
}

std::string Pad(std::string text, size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

struct Widths {
  size_t key = 0, kind = 0;
};
Widths WidthsOf(const BundleReader& reader) {
  Widths w;
  for (const BundleEntry& e : reader.entries()) {
    w.key = std::min<size_t>(std::max(w.key, e.key.size()), 96);
    w.kind = std::max(w.kind, Described(e).size());
  }
  return w;
}

void PrintTree(const proto::TrackableObjectGraph& graph, int id, const std::string& name, size_t depth, std::vector<bool>& shown) {
  const auto& node = graph.nodes(id);
  std::cout << "  " << std::string(2 * depth, ' ') << name;
  for (const auto& attribute : node.attributes())
    std::cout << (attribute.name() == train::kVariableValue ? "  = " + attribute.full_name() : "  ." + attribute.name());
  if (!node.slot_variables().empty()) std::cout << "  (" << node.slot_variables_size() << " slots)";
  if (shown[id]) {
    std::cout << (node.children().empty() ? "\n" : "  (see above)\n");
    return;
  }
  shown[id] = true;
  std::cout << '\n';
  for (const auto& child : node.children())
    if (child.node_id() >= 0 && child.node_id() < graph.nodes_size() && depth < 200) PrintTree(graph, child.node_id(), child.local_name(), depth + 1, shown);
}

int List(const std::string& path) {
  const auto reader = Open(path);
  const Widths w = WidthsOf(*reader);
  int damaged = 0;
  int64_t bytes = 0;
  for (const BundleEntry& entry : reader->entries()) {
    std::string text;
    const auto tensor = reader->Read(entry.key);
    if (tensor.ok()) {
      text = Statistics(*tensor);
      bytes += tensor->rep()->bytes();
    } else {
      text = std::string(tensor.status().message());
      ++damaged;
    }
    std::cout << Pad(entry.key, w.key) << "  " << Pad(Described(entry), w.kind) << "  " << text << '\n';
  }
  std::cout << reader->entries().size() << " entries, " << bytes << " bytes of numbers, " << reader->num_shards() << (reader->num_shards() == 1 ? " shard\n" : " shards\n");
  if (reader->Find(train::kObjectGraphKey)) {
    const auto text = reader->Read(train::kObjectGraphKey);
    proto::TrackableObjectGraph graph;
    if (text.ok() && text->dtype() == kString && text->size() == 1 && graph.ParseFromString(text->data<std::string>()[0]) && !graph.nodes().empty()) {
      std::cout << "objects:\n";
      std::vector<bool> shown(static_cast<size_t>(graph.nodes_size()));
      PrintTree(graph, 0, "root", 0, shown);
    }
  }
  return damaged ? 1 : 0;
}

// The largest difference of two tensors of one dtype and shape.
std::string Difference(const Tensor& a, const Tensor& b) {
  if (a.dtype() == kString || IsComplex(a.dtype())) return "other values";
  const std::vector<double> x = a.ToVector<double>(), y = b.ToVector<double>();
  double most = 0;
  int64_t differ = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
    ++differ;
    most = std::max(most, std::abs(x[i] - y[i]));
  }
  char text[96];
  std::snprintf(text, sizeof text, "%ld of %zu elements differ, by up to %g", static_cast<long>(differ), x.size(), most);
  return text;
}

int Compare(const std::string& one, const std::string& other) {
  const auto a = Open(one), b = Open(other);
  int differ = 0, same = 0;
  const auto say = [&](const std::string& key, const std::string& what) {
    ++differ;
    std::cout << key << ": " << what << '\n';
  };
  for (const BundleEntry& entry : a->entries()) {
    const BundleEntry* there = b->Find(entry.key);
    if (!there) {
      say(entry.key, "only in " + a->prefix());
      continue;
    }
    if (entry.dtype != there->dtype || entry.shape != there->shape) {
      say(entry.key, Described(entry) + " and " + Described(*there));
      continue;
    }
    const Tensor x = ValueOrThrow(a->Read(entry.key)), y = ValueOrThrow(b->Read(entry.key));
    if (DifferentBits(x, y).empty()) ++same;
    else say(entry.key, Difference(x, y));
  }
  for (const BundleEntry& entry : b->entries())
    if (!a->Find(entry.key)) say(entry.key, "only in " + b->prefix());
  std::cout << same << " entries are the same, " << differ << (differ == 1 ? " differs\n" : " differ\n");
  return differ ? 1 : 0;
}

}  // namespace

void AddCkpt(CLI::App& app, Action& chosen) {
  auto prefix = std::make_shared<std::string>(), other = std::make_shared<std::string>();
  CLI::App* ckpt = app.add_subcommand("ckpt", "Lists what a checkpoint holds, or compares two");
  ckpt->add_option("PREFIX", *prefix, "A checkpoint of TensorFlow's V2 format: run/ckpt-3, or the name of one of its files")->required();
  ckpt->add_option("OTHER", *other, "Another one: what differs");
  ckpt->footer("Examples:\n  tandem ckpt run/ckpt-3\n  tandem ckpt run/ckpt-2 run/ckpt-3\n"
               "Exit status 1 when an entry is damaged, or the two differ.");
  ckpt->callback([prefix, other, &chosen] {
    chosen = [prefix, other] { return other->empty() ? List(*prefix) : Compare(*prefix, *other); };
  });
}

}  // namespace tandem::tool
