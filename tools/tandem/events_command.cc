#include <algorithm>
#include <cstdio>
#include <iostream>

#include "core/event_reader.h"
#include "core/tensor_proto.h"
#include "core/tensor.h"
#include "proto/event.pb.h"
#include "proto/graph.pb.h"
#include "proto/meta_graph.pb.h"
#include "tools/tandem/commands.h"

namespace tandem::tool {
namespace {

struct EventsArguments {
  std::string path, tag;
};

std::string Number(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", v);
  return text;
}

// Kind and value of one summary.
std::pair<std::string, std::string> Describe(const proto::Summary::Value& v) {
  switch (v.value_case()) {
    case proto::Summary::Value::kSimpleValue: return {"scalar", Number(v.simple_value())};
    case proto::Summary::Value::kHisto:
      return {"histogram", absl::StrCat(v.histo().num(), " values in [", Number(v.histo().min()), ", ", Number(v.histo().max()), "], mean ",
                                        Number(v.histo().num() ? v.histo().sum() / v.histo().num() : 0))};
    case proto::Summary::Value::kImage:
      return {"image", absl::StrCat(v.image().height(), " x ", v.image().width(), " x ", v.image().colorspace(), ", ", v.image().encoded_image_string().size(), " bytes")};
    case proto::Summary::Value::kAudio:
      return {"audio", absl::StrCat(v.audio().length_frames(), " frames x ", v.audio().num_channels(), " at ", Number(v.audio().sample_rate()), " Hz")};
    case proto::Summary::Value::kTensor: {
      const std::string& plugin = v.metadata().plugin_data().plugin_name();
      const auto tensor = TensorFromProto(v.tensor());
      if (!tensor.ok()) return {plugin.empty() ? "tensor" : plugin, std::string(tensor.status().message())};
      std::string text = absl::StrCat(std::string(DTypeName(tensor->dtype())), tensor->shape().ToString());
      if (tensor->size() == 1) {
        std::string value = tensor->dtype() == kString ? tensor->item<std::string>() : tensor->ToString();
        std::replace(value.begin(), value.end(), '\n', ' ');
        if (value.size() > 60) value = value.substr(0, 57) + "...";
        absl::StrAppend(&text, " ", value);
      }
      return {plugin.empty() ? "tensor" : plugin, text};
    }
    default: return {"nothing", ""};
  }
}

void Line(const proto::Event& event, std::string_view kind, std::string_view tag, std::string_view text) {
  std::printf("%8lld  %-12s %-28s %s\n", static_cast<long long>(event.step()), std::string(kind).c_str(), std::string(tag).c_str(), std::string(text).c_str());
}

template <class Message>
std::string Nodes(const std::string& bytes) {
  Message message;
  if (!message.ParseFromString(bytes)) return absl::StrCat(bytes.size(), " bytes that are no graph");
  if constexpr (requires { message.graph_def(); }) return absl::StrCat(message.graph_def().node_size(), " nodes, ", bytes.size(), " bytes");
  else return absl::StrCat(message.node_size(), " nodes, ", bytes.size(), " bytes");
}

void Print(const proto::Event& event, const std::string& tag) {
  if (event.what_case() == proto::Event::kSummary) {
    for (const auto& value : event.summary().value()) {
      if (!tag.empty() && value.tag() != tag) continue;
      const auto [kind, text] = Describe(value);
      Line(event, kind, value.tag(), text);
    }
    return;
  }
  if (!tag.empty()) return;
  switch (event.what_case()) {
    case proto::Event::kFileVersion: return Line(event, "version", "", event.file_version());
    case proto::Event::kGraphDef: return Line(event, "graph", "", Nodes<proto::GraphDef>(event.graph_def()));
    case proto::Event::kMetaGraphDef: return Line(event, "meta graph", "", Nodes<proto::MetaGraphDef>(event.meta_graph_def()));
    case proto::Event::kTaggedRunMetadata:
      return Line(event, "run metadata", event.tagged_run_metadata().tag(), absl::StrCat(event.tagged_run_metadata().run_metadata().size(), " bytes"));
    case proto::Event::kSessionLog: return Line(event, "session", "", event.session_log().msg());
    default: return Line(event, "nothing", "", "");
  }
}

int List(const EventsArguments& a) {
  for (const std::string& path : ValueOrThrow(FindEventFiles(a.path))) {
    std::printf("%s\n", path.c_str());
    const auto reader = ValueOrThrow(EventReader::Open(path));
    proto::Event event;
    while (ValueOrThrow(reader->Next(&event))) Print(event, a.tag);
  }
  return 0;
}

}  // namespace

void AddEvents(CLI::App& app, Action& chosen) {
  auto a = std::make_shared<EventsArguments>();
  CLI::App* events = app.add_subcommand("events", "Lists what event files hold, as TensorBoard would show it: step, kind, tag, value");
  events->add_option("DIR", a->path, "An event file, or a folder that holds some")->required();
  events->add_option("--tag", a->tag, "Only this tag");
  events->callback([a, &chosen] { chosen = [a] { return List(*a); }; });
}

}  // namespace tandem::tool
