// Every op of the table: documented, TensorFlow's signature, a good and a bad call, and a gradient or the reason why it has
// none.
#include <catch2/catch.hpp>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/op.h"
#include "tests/opcases.h"

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

// What passes make: not in TensorFlow's registry, tested with their passes.
const std::set<std::string> kOwn = {"FusedConv2D", "FusedElementwise", "FusedMatMul", "FusedResourceApply"};
// No call of these can be wrong: they take anything.
const std::set<std::string> kTakeAnything = {"Identity", "Rank", "Size", "Shape", "StopGradient", "ZerosLike", "VarIsInitializedOp"};
// TensorFlow's cases have no good call (nothing to compare) or no bad one of these; tests of their own do.
const std::set<std::string> kNoGoodCase = {"Const", "DestroyResourceOp", "EagerPyFunc", "HistogramSummary", "IteratorGetNext", "IteratorV2",
                                           "MakeIterator", "MergeSummary", "MergeV2Checkpoints", "NoOp", "Placeholder", "Print", "PrintV2", "RestoreV2",
                                           "SaveV2", "ScalarSummary", "VarHandleOp",
                                           // of functions: tests/graph has them
                                           "Case", "If", "PartitionedCall", "StatefulPartitionedCall", "StatelessCase", "StatelessIf",
                                           "StatelessWhile", "While", "_Arg", "_Retval"};
const std::set<std::string> kNoBadCase = {"Assert", "AssignAddVariableOp", "AssignSubVariableOp", "AssignVariableOp", "Cast", "CheckNumerics",
                                          "HistogramSummary", "IteratorGetNext", "IteratorV2", "MakeIterator", "MergeSummary", "ReadVariableOp",
                                          "ResourceGather", "ResourceScatterAdd", "ScalarSummary",
                                          "ShardedFilename",
                                          "ResourceApplyAdagrad", "ResourceApplyAdamWithAmsgrad", "ResourceApplyFtrl", "ResourceApplyFtrlV2",
                                          "ResourceApplyGradientDescent", "ResourceApplyMomentum", "ResourceApplyRMSProp", "ResourceGatherNd",
                                          "ResourceScatterNdAdd", "ResourceScatterNdMax", "ResourceScatterNdSub", "ResourceScatterNdUpdate",
                                          "ResourceStridedSliceAssign", "VariableShape"};

std::vector<const OpSchema*> Builtin() {
  std::vector<const OpSchema*> ops;
  for (int i = 0; i < NumOps(); ++i)
    if (!kOwn.contains(GetOp(static_cast<OpId>(i)).name())) ops.push_back(&GetOp(static_cast<OpId>(i)));
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

TEST_CASE("every op has a good and a bad call among TensorFlow's cases") {
  for (const OpSchema* op : Builtin()) {
    const std::string& name = op->name();
    // Lists are no constants of a graph: tests/core/ops/tensor_list_test.cc has their calls.
    if (kNoGoodCase.contains(name) || name.find("TensorList") != std::string::npos) continue;
    INFO(name);
    int good = 0, bad = 0;
    for (const GoldenCase& c : LoadGoldenCases("tests/data/opcases", name)) ++(c.error.empty() ? good : bad);
    CHECK(good > 0);
    if (!kTakeAnything.contains(name) && !kNoBadCase.contains(name)) CHECK(bad > 0);
  }
}

}  // namespace tandem
