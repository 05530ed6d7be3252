#include "tests/checkpoint_fixtures.h"

#include <cmath>

#include "absl/strings/escaping.h"
#include "core/bundle/bundle_reader.h"
#include "tandem.h"
#include "tests/compare.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

double Number(const Json& json) {
  if (json.is_string()) return json == "NaN" ? NAN : json == "Infinity" ? INFINITY : -INFINITY;
  if (json.is_boolean()) return json.get<bool>();
  return json.get<double>();
}

std::string Text(const Json& json) {
  if (json.is_object()) return absl::HexStringToBytes(json["hex"].get<std::string>());
  return json.get<std::string>();
}

// The leaves below `depth` more lists.
void Leaves(const Json& json, size_t depth, std::vector<Json>& leaves) {
  if (depth == 0) leaves.push_back(json);
  else
    for (const Json& item : json) Leaves(item, depth - 1, leaves);
}

Tensor Wanted(const Json& json, DType dtype, const Shape& shape) {
  std::vector<Json> leaves;
  Leaves(json, static_cast<size_t>(shape.rank()), leaves);
  if (dtype == kString) {
    std::vector<std::string> strings;
    for (const Json& leaf : leaves) strings.push_back(Text(leaf));
    return Tensor::FromData<std::string>(shape, strings);
  }
  if (IsComplex(dtype)) {
    std::vector<std::complex<double>> numbers;
    for (const Json& leaf : leaves) numbers.emplace_back(Number(leaf[0]), Number(leaf[1]));
    return Cast(Tensor::FromData<std::complex<double>>(shape, numbers), dtype);
  }
  if (IsInteger(dtype)) {
    std::vector<int64_t> integers;
    for (const Json& leaf : leaves) integers.push_back(leaf.is_number_unsigned() ? static_cast<int64_t>(leaf.get<uint64_t>()) : leaf.get<int64_t>());
    return Cast(Tensor::FromData<int64_t>(shape, integers), dtype);
  }
  std::vector<double> numbers;
  for (const Json& leaf : leaves) numbers.push_back(Number(leaf));
  return Cast(Tensor::FromData<double>(shape, numbers), dtype);
}

std::string CheckEntry(const Tensor& got, const Json& entry, const std::string& folder) {
  const DType dtype = DTypeFromName(entry["dtype"].get<std::string>());
  Shape shape;
  for (const Json& dim : entry["shape"]) shape.push_back(dim.get<int64_t>());
  if (got.dtype() != dtype || got.shape() != shape) return "another dtype or shape: " + std::string(DTypeName(got.dtype())) + got.shape().ToString();
  if (entry.contains("bytes")) return got.data<std::string>()[0].size() == entry["bytes"].get<size_t>() ? "" : "another length";
  return DifferentBits(got, entry.contains("npy") ? LoadNpy(folder + "/" + entry["npy"].get<std::string>()) : Wanted(entry["value"], dtype, shape));
}

}  // namespace

std::string CheckCheckpointValues(const std::string& folder, const Json& values) {
  const auto reader = ValueOrThrow(BundleReader::Open(folder + "/" + values["prefix"].get<std::string>()));
  const Json entries = values.value("entries", Json::object());
  const size_t count = values.value("count", entries.size());
  if (reader->entries().size() != count) return std::to_string(reader->entries().size()) + " entries, want " + std::to_string(count);
  for (const BundleEntry& entry : reader->entries()) {
    const Tensor got = ValueOrThrow(reader->Read(entry.key));
    if (!entries.contains(entry.key)) continue;
    if (const std::string wrong = CheckEntry(got, entries[entry.key], folder); !wrong.empty()) return entry.key + ": " + wrong;
  }
  return "";
}

void ReadWholeCheckpoint(const std::string& prefix) {
  const auto reader = ValueOrThrow(BundleReader::Open(prefix));
  for (const BundleEntry& entry : reader->entries()) ValueOrThrow(reader->Read(entry.key));
}

}  // namespace tandem
