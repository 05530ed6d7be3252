// Files that TensorFlow wrote lose nothing when they are parsed and written again. $FIXTURES names another folder of them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <google/protobuf/util/field_comparator.h>
#include <google/protobuf/util/message_differencer.h>

#include "proto/event.pb.h"
#include "proto/example.pb.h"
#include "proto/graph.pb.h"
#include "proto/meta_graph.pb.h"
#include "proto/plugin_data.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/saved_model.pb.h"

namespace tandem {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::util::DefaultFieldComparator;
using google::protobuf::util::MessageDifferencer;

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The payloads of a TFRecord file: length (u64), its CRC (u32), payload, its CRC (u32).
std::vector<std::string> Records(const std::string& file) {
  std::vector<std::string> records;
  for (size_t at = 0; at + 16 <= file.size();) {
    uint64_t length;
    std::memcpy(&length, file.data() + at, sizeof length);
    REQUIRE(length <= file.size() - at - 16);
    records.push_back(file.substr(at + 12, length));
    at += 16 + length;
  }
  return records;
}

std::string Sorted(std::string bytes) {
  std::sort(bytes.begin(), bytes.end());
  return bytes;
}

// A wrong field number would show as an unknown field, a wrong type as other bytes. Map entries and fields may change
// their order, so bytes are compared as a multiset; what follows from them must be equal as messages.
void ExpectRoundTrip(Message& message, const std::string& bytes) {
  REQUIRE(message.ParseFromString(bytes));
  const std::string written = message.SerializeAsString();
  CHECK(written.size() == bytes.size());
  CHECK(Sorted(written) == Sorted(bytes));
  std::unique_ptr<Message> again(message.New());
  REQUIRE(again->ParseFromString(written));
  DefaultFieldComparator comparator;
  comparator.set_treat_nan_as_equal(true);
  MessageDifferencer differencer;
  differencer.set_field_comparator(&comparator);
  CHECK(differencer.Compare(message, *again));
}

// Calls visit for message and all messages in it.
void Walk(const Message& message, const std::function<void(const Message&)>& visit) {
  visit(message);
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      Walk(message.GetReflection()->GetMessage(message, field), visit);
      continue;
    }
    const int size = message.GetReflection()->FieldSize(message, field);
    for (int i = 0; i < size; ++i) Walk(message.GetReflection()->GetRepeatedMessage(message, field, i), visit);
  }
}

int CountUnknownFields(const Message& message) {
  int count = 0;
  Walk(message, [&](const Message& m) { count += m.GetReflection()->GetUnknownFields(m).field_count(); });
  return count;
}

std::filesystem::path Fixtures() {
  const char* folder = std::getenv("FIXTURES");
  return folder != nullptr ? folder : "tests/data/fixtures";
}

template <class Proto>
int RoundTripFiles(const std::string& name) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(Fixtures() / "graphs")) {
    if (entry.path().filename() != name) continue;
    INFO(entry.path());
    Proto message;
    ExpectRoundTrip(message, Read(entry.path()));
    CHECK(CountUnknownFields(message) == 0);
    ++files;
  }
  return files;
}

TEST_CASE("GraphDef, MetaGraphDef and SavedModel files survive a round trip") {
  CHECK(RoundTripFiles<proto::GraphDef>("graph.pb") >= 5);
  CHECK(RoundTripFiles<proto::MetaGraphDef>("meta.pb") >= 1);
  CHECK(RoundTripFiles<proto::SavedModel>("saved_model.pb") >= 2);
  CHECK(RoundTripFiles<proto::FingerprintDef>("fingerprint.pb") >= 1);
}

TEST_CASE("event files survive a round trip, the messages inside too") {
  int events = 0, graphs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(Fixtures() / "events")) {
    if (entry.path().filename().string().rfind("events.out", 0) != 0) continue;
    for (const std::string& record : Records(Read(entry.path()))) {
      proto::Event event;
      ExpectRoundTrip(event, record);
      CHECK(CountUnknownFields(event) == 0);
      ++events;
      if (event.has_graph_def()) {
        proto::GraphDef graph;
        ExpectRoundTrip(graph, event.graph_def());
        ++graphs;
      }
      if (event.has_tagged_run_metadata()) {
        proto::RunMetadata run;
        ExpectRoundTrip(run, event.tagged_run_metadata().run_metadata());
      }
    }
  }
  CHECK(events > 10);
  CHECK(graphs > 0);
}

TEST_CASE("examples survive a round trip") {
  for (const std::string& record : Records(Read(Fixtures() / "tfrecord/examples.tfrecord"))) {
    proto::Example example;
    ExpectRoundTrip(example, record);
    CHECK(example.features().feature_size() > 0);
  }
  for (const std::string& record : Records(Read(Fixtures() / "tfrecord/sequences.tfrecord"))) {
    proto::SequenceExample example;
    ExpectRoundTrip(example, record);
    CHECK(example.feature_lists().feature_list_size() > 0);
  }
}

TEST_CASE("unknown fields are kept at every depth") {
  proto::GraphDef graph;
  proto::AttrValue& attr = (*graph.add_node()->mutable_attr())["value"];
  attr.mutable_tensor()->GetReflection()->MutableUnknownFields(attr.mutable_tensor())->AddLengthDelimited(77, "kept");
  graph.GetReflection()->MutableUnknownFields(&graph)->AddVarint(1000, 42);

  proto::GraphDef copy;
  ExpectRoundTrip(copy, graph.SerializeAsString());
  CHECK(CountUnknownFields(copy) == 2);
  const proto::TensorProto& tensor = copy.node(0).attr().at("value").tensor();
  CHECK(tensor.GetReflection()->GetUnknownFields(tensor).field(0).length_delimited() == "kept");
}

TEST_CASE("Any keeps its type and bytes, known or not") {
  proto::MetaGraphDef meta;
  google::protobuf::Any* any = meta.mutable_meta_info_def()->mutable_any_info();
  any->set_type_url("type.googleapis.com/somebody.elses.Message");
  any->set_value(std::string("\x00\xff not a message", 16));

  proto::MetaGraphDef copy;
  ExpectRoundTrip(copy, meta.SerializeAsString());
  CHECK(copy.meta_info_def().any_info().type_url() == any->type_url());
  CHECK(copy.meta_info_def().any_info().value() == any->value());
}

TEST_CASE("plain types are varint, zigzag or fixed as on TensorFlow's wire") {
  proto::StructuredValue value;
  value.set_int64_value(-1);
  CHECK(value.SerializeAsString() == "\x60\x01");   // field 12, zigzag

  proto::TensorShapeProto::Dim dim;
  dim.set_size(-1);
  CHECK(dim.SerializeAsString() == "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");   // plain varint

  proto::GraphDebugInfo::StackTrace trace;
  trace.add_frame_id(1);
  trace.add_frame_id(2);
  CHECK(trace.SerializeAsString().size() == 2 + 16);   // packed fixed64, although proto2

  proto::AttrValue::ListValue list;
  list.add_type(proto::DT_FLOAT);
  list.add_type(proto::DT_FLOAT_REF);
  CHECK(list.SerializeAsString() == "\x32\x02\x01\x65");   // packed
}

TEST_CASE("version 0 plugin data is empty bytes") {
  proto::tensorboard::ScalarPluginData scalar;
  CHECK(scalar.SerializeAsString().empty());
}

}  // namespace
}  // namespace tandem
