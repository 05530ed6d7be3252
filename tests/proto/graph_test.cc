#include <catch2/catch.hpp>

#include <string>

#include "proto/graph.pb.h"

namespace tandem {
namespace {

TEST_CASE("a GraphDef parses back from its own bytes with unknown fields kept") {
  proto::GraphDef graph;
  proto::NodeDef* node = graph.add_node();
  node->set_name("x");
  node->set_op("Placeholder");
  (*node->mutable_attr())["dtype"].set_type(proto::DT_FLOAT);
  node->GetReflection()->MutableUnknownFields(node)->AddVarint(1000, 42);

  proto::GraphDef copy;
  REQUIRE(copy.ParseFromString(graph.SerializeAsString()));
  CHECK(copy.DebugString() == graph.DebugString());
  CHECK(copy.node(0).GetReflection()->GetUnknownFields(copy.node(0)).field(0).varint() == 42);
}

}  // namespace
}  // namespace tandem
