// Every op of the table: documented, TensorFlow's signature, and with a gradient or the reason why it has none.
#include <catch2/catch.hpp>

#include <fstream>
#include <map>
#include <sstream>

#include "core/op.h"

namespace tandem {
namespace {

struct Row {
  std::string inputs, outputs, attrs;
};

// TensorFlow's registry, the rows of the ops here.
std::map<std::string, Row> Signatures() {
  std::map<std::string, Row> rows;
  std::ifstream in("tests/data/ops.tsv");
  for (std::string line; std::getline(in, line);) {
    std::vector<std::string> fields;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, '\t');) fields.push_back(field);
    fields.resize(std::max<size_t>(fields.size(), 4));
    rows[fields[0]] = {fields[1], fields[2], fields[3]};
  }
  return rows;
}

std::vector<const OpSchema*> Builtin() {
  std::vector<const OpSchema*> ops;
  for (int i = 0; i < NumOps(); ++i) ops.push_back(&GetOp(static_cast<OpId>(i)));
  return ops;
}

}  // namespace

TEST_CASE("signatures are TensorFlow's") {
  const auto rows = Signatures();
  for (const OpSchema* op : Builtin()) {
    INFO(op->name());
    const auto row = rows.find(op->name());
    REQUIRE(row != rows.end());
    CHECK(op->inputs_text() == row->second.inputs);
    CHECK(op->outputs_text() == row->second.outputs);
    CHECK(op->attrs_text() == row->second.attrs);
  }
}

TEST_CASE("declarations are sound and documented") {
  for (const OpSchema* op : Builtin()) {
    INFO(op->name());
    CHECK(op->declaration_error() == "");
    CHECK(op->documentation().size() > 10);
    CHECK(op->documentation().ends_with("."));
    CHECK(op->infer() != nullptr);
    CHECK(op->differentiable() != !op->not_differentiable().empty());
  }
}

}  // namespace tandem
