#include "tools/tandem/graph_arguments.h"

#include <cmath>
#include <sstream>

#include "nlohmann/json.hpp"

namespace tandem::tool {
namespace {

using Json = nlohmann::json;

// Shape and leaves of nested lists; ragged ones are refused.
void Flatten(const Json& json, size_t depth, std::vector<int64_t>& dims, std::vector<Json>& leaves) {
  if (!json.is_array()) {
    if (depth != dims.size()) throw CLI::ValidationError("--feed", "the lists are ragged");
    leaves.push_back(json);
    return;
  }
  if (depth == dims.size() && leaves.empty()) dims.push_back(static_cast<int64_t>(json.size()));
  else if (depth >= dims.size() || dims[depth] != static_cast<int64_t>(json.size())) throw CLI::ValidationError("--feed", "the lists are ragged");
  for (const Json& item : json) Flatten(item, depth + 1, dims, leaves);
}

double Number(const Json& leaf, const std::string& text) {
  if (leaf.is_number()) return leaf.get<double>();
  if (leaf.is_boolean()) return leaf.get<bool>();
  if (leaf == "nan") return NAN;
  if (leaf == "inf") return INFINITY;
  if (leaf == "-inf") return -INFINITY;
  throw CLI::ValidationError("--feed", text + ": " + leaf.dump() + " is no number");
}

Tensor FromJson(const Json& json, DType dtype, const std::string& text) {
  std::vector<int64_t> dims;
  std::vector<Json> leaves;
  Flatten(json, 0, dims, leaves);
  const Shape shape{std::span<const int64_t>(dims)};
  if (dtype == kString) {
    std::vector<std::string> strings;
    for (const Json& leaf : leaves) strings.push_back(leaf.is_string() ? leaf.get<std::string>() : leaf.dump());
    return Tensor::FromData<std::string>(shape, strings);
  }
  if (dtype == kInt64 || dtype == kUint64) {  // a double holds 53 bits
    std::vector<int64_t> integers;
    for (const Json& leaf : leaves) {
      if (!leaf.is_number_integer()) throw CLI::ValidationError("--feed", text + ": " + leaf.dump() + " is no integer");
      integers.push_back(leaf.is_number_unsigned() ? static_cast<int64_t>(leaf.get<uint64_t>()) : leaf.get<int64_t>());
    }
    return Cast(Tensor::FromData<int64_t>(shape, integers), dtype);
  }
  std::vector<double> numbers;
  for (const Json& leaf : leaves) numbers.push_back(Number(leaf, text));
  const Tensor values = Tensor::FromData<double>(shape, numbers);
  return dtype == kFloat64 ? values : Cast(values, dtype);
}

}  // namespace

void AddGraphOptions(CLI::App& command, GraphArguments& a, bool fetches_required) {
  command.add_option("GRAPH", a.path, "A GraphDef or MetaGraphDef, binary or text")->required();
  command.add_option("--feed", a.feeds, "NAME=FILE.npy or NAME=literal, as often as needed: --feed x:0='[[1,2],[3,4]]'");
  auto* fetch = command.add_option("--fetch", a.fetches, "NAME[,NAME...]: tensors to compute (\"y\" is \"y:0\")");
  if (fetches_required) fetch->required();
}

std::vector<Feed> ParseFeeds(const Graph& graph, const std::vector<std::string>& texts) {
  std::vector<Feed> feeds;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) throw CLI::ValidationError("--feed", text + ": needs NAME=FILE.npy or NAME=literal");
    const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
    if (value.ends_with(".npy")) {
      feeds.push_back({name, LoadNpy(value)});
      continue;
    }
    const DType dtype = graph.Find(name).dtype();
    Json json = Json::parse(value, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded()) json = value;
    feeds.push_back({name, FromJson(json, dtype, text)});
  }
  return feeds;
}

std::vector<TensorName> ParseNames(const std::vector<std::string>& texts) {
  std::vector<TensorName> names;
  for (const std::string& text : texts) {
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');)
      if (!part.empty()) names.emplace_back(part);
  }
  return names;
}

OptLevel ParseLevel(const std::string& text) {
  static const char* kNames[] = {"O0", "O1", "O2", "O3"};
  for (int i = 0; i < 4; ++i)
    if (text == kNames[i]) return static_cast<OptLevel>(i);
  throw CLI::ValidationError("--level", text + ": must be O0, O1, O2 or O3");
}

std::string FileName(const std::string& tensor_name) {
  std::string out = tensor_name;
  for (char& c : out)
    if (c == ':' || c == '/') c = '_';
  return out;
}

}  // namespace tandem::tool
