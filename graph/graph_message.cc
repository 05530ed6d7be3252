#include "graph/graph_message.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/strings/escaping.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/stubs/logging.h"
#include "google/protobuf/text_format.h"
#include "proto/graph.pb.h"
#include "proto/meta_graph.pb.h"

namespace tandem {
namespace {

namespace pb = google::protobuf;

// The fields of a message, one after another, as far as the bytes go: enough to tell two kinds of file apart before
// either is parsed.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : at_(bytes) {}
  // The next length-delimited field's number and payload (cut where the bytes end); other fields are passed over.
  std::optional<std::pair<int, std::string_view>> Next() {
    while (!at_.empty()) {
      uint64_t tag, length;
      if (!Varint(&tag)) return std::nullopt;
      switch (tag & 7) {
        case 0:
          if (!Varint(&length)) return std::nullopt;
          break;
        case 1:
        case 5:
          at_.remove_prefix(std::min<size_t>(at_.size(), (tag & 7) == 1 ? 8 : 4));
          break;
        case 2: {
          if (!Varint(&length)) return std::nullopt;
          const std::string_view payload = at_.substr(0, length);
          at_.remove_prefix(payload.size());
          return std::pair(static_cast<int>(std::min<uint64_t>(tag >> 3, 1 << 29)), payload);
        }
        default: return std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  bool Varint(uint64_t* value) {
    *value = 0;
    for (int shift = 0; shift < 64 && !at_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(at_.front());
      at_.remove_prefix(1);
      *value |= static_cast<uint64_t>(byte & 127) << shift;
      if (byte < 128) return true;
    }
    return false;
  }
  std::string_view at_;
};

std::string_view FirstField(std::string_view message, int number) {
  WireReader reader(message);
  while (const auto field = reader.Next())
    if (field->first == number) return field->second;
  return {};
}

bool IsWord(std::string_view s) {
  return !s.empty() && std::all_of(s.begin(), s.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; });
}

// Field 2 of a MetaGraphDef is a graph, whose field 1 is a node, whose field 2 is an op's name. Field 2 of a GraphDef is a
// library, whose field 1 is a function, which has no field 2.
bool LooksLikeMetaGraph(std::string_view bytes) { return IsWord(FirstField(FirstField(FirstField(bytes, 2), 1), 2)); }

// Text form: words, braces and quotes. A binary message that begins with a node begins with a line feed and a length, and
// holds control characters before long.
bool LooksLikeText(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, 512);
  if (!std::all_of(head.begin(), head.end(), [](char c) { return static_cast<unsigned char>(c) >= 32 || c == '\n' || c == '\r' || c == '\t'; })) return false;
  const size_t start = head.find_first_not_of(" \t\r\n");
  return start != head.npos && (head[start] == '#' || std::isalpha(static_cast<unsigned char>(head[start]))) && head.find_first_of("{:#<") != head.npos;
}

class FirstError : public pb::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) text = absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  void AddWarning(int, int, const std::string&) override {}
  std::string text;
};

// The first word at the start of a line: what the outermost message begins with.
bool TextIsMetaGraph(std::string_view text) {
  for (std::string_view key : {"meta_info_def", "graph_def", "saver_def", "signature_def", "collection_def"})
    if (const size_t at = text.find(key); at != text.npos && (at == 0 || text[at - 1] == '\n') && text.find_first_of(" :{", at) == at + key.size()) return true;
  return false;
}

absl::Status ParseText(std::string_view bytes, pb::Message* message) {
  FirstError error;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(100);
  pb::io::ArrayInputStream in(bytes.data(), static_cast<int>(bytes.size()));
  if (parser.Parse(&in, message)) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("no graph in text form: ", error.text));
}

absl::Status ParseBinary(std::string_view bytes, const char* what, pb::Message* message) {
  if (message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("no ", what, ", or a damaged one: ", bytes.size(), " bytes do not parse"));
}

}  // namespace

absl::Status ParseGraphMessage(std::string_view bytes, GraphMessage* message) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    return InvalidArgument("the graph has ", bytes.size(), " bytes; a protobuf message ends at 2 GB");
  pb::LogSilencer quiet;  // what is wrong goes into the status, not to stderr
  const bool text = LooksLikeText(bytes);
  const bool meta = text ? TextIsMetaGraph(bytes) : LooksLikeMetaGraph(bytes);
  pb::Message* root;
  if (meta) root = message->meta = pb::Arena::CreateMessage<proto::MetaGraphDef>(&message->arena);
  else root = message->graph = pb::Arena::CreateMessage<proto::GraphDef>(&message->arena);
  RETURN_IF_ERROR(text ? ParseText(bytes, root) : ParseBinary(bytes, meta ? "MetaGraphDef" : "GraphDef", root));
  if (meta) message->graph = message->meta->mutable_graph_def();
  return absl::OkStatus();
}

std::string Deterministic(const pb::MessageLite& message) {
  std::string bytes;
  {
    pb::io::StringOutputStream stream(&bytes);
    pb::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    message.SerializePartialToCodedStream(&out);
  }
  return bytes;
}

std::string Printable(std::string_view text) {
  constexpr size_t kShown = 80;
  std::string shown = absl::CHexEscape(absl::string_view(text.data(), std::min(text.size(), kShown)));
  if (text.size() > kShown) absl::StrAppend(&shown, "… (", text.size(), " bytes)");
  return shown;
}

}  // namespace tandem
