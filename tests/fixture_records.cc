#include "tests/fixture_records.h"

#include <algorithm>

#include "core/crc32c.h"
#include "proto/example.pb.h"
#include "tandem.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

// As the index spells bytes: text where it is ASCII, else {"hex": …}.
Json BytesJson(const std::string& bytes) {
  if (std::all_of(bytes.begin(), bytes.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7f; })) return bytes;
  std::string hex;
  for (const unsigned char c : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex += {kDigits[c >> 4], kDigits[c & 15]};
  }
  return {{"hex", hex}};
}

Json FeatureJson(const proto::Feature& feature) {
  Json values = Json::array();
  switch (feature.kind_case()) {
    case proto::Feature::kBytesList:
      for (const std::string& v : feature.bytes_list().value()) values.push_back(BytesJson(v));
      return {{"bytes_list", values}};
    case proto::Feature::kFloatList:
      for (const float v : feature.float_list().value()) values.push_back(v);
      return {{"float_list", values}};
    case proto::Feature::kInt64List:
      for (const int64_t v : feature.int64_list().value()) values.push_back(v);
      return {{"int64_list", values}};
    default: return nullptr;
  }
}

Json FeaturesJson(const proto::Features& features) {
  Json all = Json::object();
  for (const auto& [key, feature] : features.feature()) all[key] = FeatureJson(feature);
  return all;
}

std::string CheckContents(const std::string& bytes, const Json& want) {
  Json got;
  if (want.contains("example")) {
    proto::Example example;
    if (!example.ParseFromString(bytes)) return "no Example";
    got = {{"example", FeaturesJson(example.features())}};
  } else if (want.contains("feature_lists")) {
    proto::SequenceExample example;
    if (!example.ParseFromString(bytes)) return "no SequenceExample";
    Json lists = Json::object();
    for (const auto& [key, list] : example.feature_lists().feature_list()) {
      lists[key] = Json::array();
      for (const auto& feature : list.feature()) lists[key].push_back(FeatureJson(feature));
    }
    got = {{"context", FeaturesJson(example.context())}, {"feature_lists", lists}};
  }
  for (const auto& [key, value] : got.items())
    if (value != want[key]) return key + " is " + value.dump() + ", want " + want[key].dump();
  return "";
}

}  // namespace

std::string CheckRecordFile(const std::string& path, const std::string& compression, const Json& records) {
  size_t i = 0;
  int64_t offset = 0;
  for (const Tensor& record : data::TFRecord(path, {.compression = compression == "none" ? "" : compression})) {
    if (i == records.size()) return "has more than " + std::to_string(i) + " records";
    const Json& want = records[i];
    const std::string bytes = record.item<std::string>(), at = "record " + std::to_string(i++) + ": ";
    if (offset != want["offset"].get<int64_t>()) return at + "is at " + std::to_string(offset);
    if (bytes.size() != want["length"].get<size_t>()) return at + "has " + std::to_string(bytes.size()) + " bytes";
    if (MaskCrc(Crc32c(bytes)) != want["data_masked_crc32c"].get<uint32_t>()) return at + "its bytes differ";
    if (const std::string wrong = CheckContents(bytes, want); !wrong.empty()) return at + wrong;
    offset += static_cast<int64_t>(bytes.size()) + 16;
  }
  return i == records.size() ? "" : "has only " + std::to_string(i) + " records";
}

}  // namespace tandem
