#include "tests/fixture_events.h"

#include <cmath>

#include "absl/strings/escaping.h"
#include "core/event_reader.h"
#include "core/tensor_proto.h"
#include "proto/event.pb.h"
#include "proto/graph.pb.h"
#include "proto/meta_graph.pb.h"

namespace tandem {
namespace {

using Json = nlohmann::json;

// As the JSON has them: a number, "NaN", a text, {"hex": bytes}.
bool Same(const Json& want, double got) {
  if (want.is_string()) return want == "NaN" ? std::isnan(got) : want == "Infinity" ? std::isinf(got) && got > 0 : std::isinf(got) && got < 0;
  return want.get<double>() == got;
}
bool Same(const Json& want, const std::string& got) {
  if (want.is_object()) return want["hex"].get<std::string>() == absl::BytesToHexString(got);
  return want.get<std::string>() == got;
}
void Flatten(const Json& nested, std::vector<Json>& out) {
  if (nested.is_array())
    for (const Json& item : nested) Flatten(item, out);
  else out.push_back(nested);
}

std::string CheckTensor(const Json& want, const proto::Summary::Value& value) {
  const auto tensor = TensorFromProto(value.tensor());
  if (!tensor.ok()) return std::string(tensor.status().message());
  if (want["dtype"] != std::string(DTypeName(tensor->dtype()))) return "dtype is " + std::string(DTypeName(tensor->dtype()));
  const Shape shape = tensor->shape();
  if (want["shape"].get<std::vector<int64_t>>() != std::vector<int64_t>(shape.begin(), shape.end())) return "shape is " + shape.ToString();
  std::vector<Json> elements;
  Flatten(want["value"], elements);
  if (static_cast<int64_t>(elements.size()) != tensor->size()) return "the JSON has " + std::to_string(elements.size()) + " elements";
  const bool text = tensor->dtype() == kString;
  const std::vector<double> numbers = text ? std::vector<double>() : tensor->ToVector<double>();
  for (size_t i = 0; i < elements.size(); ++i)
    if (!(text ? Same(elements[i], tensor->data<std::string>()[i]) : Same(elements[i], numbers[i]))) return "element " + std::to_string(i) + " differs";
  if (want.contains("metadata")) {
    const Json& m = want["metadata"];
    const auto& metadata = value.metadata();
    if (m["plugin"] != metadata.plugin_data().plugin_name()) return "plugin is " + metadata.plugin_data().plugin_name();
    if (m["content_hex"] != absl::BytesToHexString(metadata.plugin_data().content())) return "plugin data differ";
    if (m["display_name"] != metadata.display_name() || m["description"] != metadata.summary_description()) return "names differ";
  }
  return "";
}

template <class List>
bool SameList(const Json& want, const List& got) {
  return want.get<std::vector<double>>() == std::vector<double>(got.begin(), got.end());
}

std::string CheckValue(const Json& want, const proto::Summary::Value& value) {
  if (want["tag"] != value.tag()) return "the tag is " + value.tag();
  const std::string kind = want["kind"].get<std::string>();
  const Json& v = want.value("value", Json());
  if (kind == "simple_value") return value.value_case() == value.kSimpleValue && Same(v, value.simple_value()) ? "" : "the scalar differs";
  if (kind == "tensor") return value.value_case() == value.kTensor ? CheckTensor(want, value) : "it is no tensor";
  if (kind == "histo") {
    const auto& h = value.histo();
    const bool same = h.min() == v["min"].get<double>() && h.max() == v["max"].get<double>() && h.num() == v["num"].get<double>() &&
                      h.sum() == v["sum"].get<double>() && h.sum_squares() == v["sum_squares"].get<double>();
    return same && SameList(v["bucket_limit"], h.bucket_limit()) && SameList(v["bucket"], h.bucket()) ? "" : "the histogram differs";
  }
  if (kind == "image") {
    const auto& image = value.image();
    const bool same = image.height() == v["height"].get<int>() && image.width() == v["width"].get<int>() && image.colorspace() == v["colorspace"].get<int>() &&
                      image.encoded_image_string().size() == v["png_bytes"].get<size_t>();
    return same ? "" : "the image differs";
  }
  if (kind == "audio") {
    const auto& audio = value.audio();
    const bool same = audio.sample_rate() == v["sample_rate"].get<float>() && audio.num_channels() == v["num_channels"].get<int64_t>() &&
                      audio.length_frames() == v["length_frames"].get<int64_t>() && audio.content_type() == v["content_type"].get<std::string>();
    return same ? "" : "the audio differs";
  }
  return "the JSON has the unknown kind " + kind;
}

template <class Nodes>
std::string CheckNodes(const Json& want, const std::string& bytes, const Nodes& nodes) {
  if (bytes.size() != want["bytes"].get<size_t>()) return "the graph has " + std::to_string(bytes.size()) + " bytes";
  std::vector<std::string> names;
  for (const auto& node : nodes) names.push_back(node.name());
  return names == want["nodes"].get<std::vector<std::string>>() ? "" : "the graph's nodes differ";
}

std::string CheckEvent(const Json& want, const proto::Event& event) {
  if (want["wall_time"].get<double>() != event.wall_time() || want["step"].get<int64_t>() != event.step()) return "time or step differs";
  const std::string what = want["what"].get<std::string>();
  if (what == "file_version") return want[what] == event.file_version() ? "" : "the version is " + event.file_version();
  if (what == "graph_def") {
    proto::GraphDef graph;
    return graph.ParseFromString(event.graph_def()) ? CheckNodes(want[what], event.graph_def(), graph.node()) : "it is no GraphDef";
  }
  if (what == "meta_graph_def") {
    proto::MetaGraphDef graph;
    return graph.ParseFromString(event.meta_graph_def()) ? CheckNodes(want[what], event.meta_graph_def(), graph.graph_def().node()) : "it is no MetaGraphDef";
  }
  if (what == "tagged_run_metadata") return want[what]["tag"] == event.tagged_run_metadata().tag() ? "" : "the tag differs";
  if (what == "session_log")
    return want[what]["status"] == static_cast<int>(event.session_log().status()) && want[what]["msg"] == event.session_log().msg() ? "" : "the session differs";
  if (what != "summary") return "the JSON has the unknown event " + what;
  const Json& values = want["values"];
  if (static_cast<size_t>(event.summary().value_size()) != values.size()) return "it has " + std::to_string(event.summary().value_size()) + " values";
  for (size_t i = 0; i < values.size(); ++i)
    if (std::string wrong = CheckValue(values[i], event.summary().value(static_cast<int>(i))); !wrong.empty())
      return values[i]["tag"].get<std::string>() + ": " + wrong;
  return "";
}

}  // namespace

std::string CheckEvents(const std::string& folder, const Json& spec) {
  const auto reader = ValueOrThrow(EventReader::Open(folder + "/" + spec["file"].get<std::string>()));
  proto::Event event;
  size_t i = 0;
  for (; ValueOrThrow(reader->Next(&event)); ++i) {
    if (i == spec["events"].size()) return "there are more events than " + std::to_string(i);
    if (std::string wrong = CheckEvent(spec["events"][i], event); !wrong.empty()) return "event " + std::to_string(i) + ": " + wrong;
  }
  return i == spec["events"].size() ? "" : "there are " + std::to_string(i) + " events";
}

}  // namespace tandem
