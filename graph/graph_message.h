// Bytes to a GraphDef message: what kind of file it is, and the parse.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "core/status.h"
#include "google/protobuf/arena.h"

namespace google::protobuf {
class MessageLite;
}
namespace tandem::proto {
class GraphDef;
class MetaGraphDef;
}  // namespace tandem::proto

namespace tandem {

struct GraphMessage {
  google::protobuf::Arena arena;             // owns both
  proto::GraphDef* graph = nullptr;          // of meta, when there is one
  proto::MetaGraphDef* meta = nullptr;       // null for a plain GraphDef
};

// GraphDef or MetaGraphDef, binary or text. DATA_LOSS with what is known of the place; INVALID_ARGUMENT above 2 GB.
absl::Status ParseGraphMessage(std::string_view bytes, GraphMessage* message);

// The same bytes for equal messages, whatever the order in their maps.
std::string Deterministic(const google::protobuf::MessageLite& message);
// Text from a file for an error message: other characters escaped, long text cut.
std::string Printable(std::string_view text);

}  // namespace tandem
