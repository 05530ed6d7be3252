// Cases of one op each, written by TensorFlow: OP.pb and OP.bad.tfrecord of a folder.
//
//   OP.pb          GraphDef; the nodes of case 7 start with c7/: in0…, op (the node under test), want0… or error, note,
//                  rtol, atol; k0… and got0… where something else than op's outputs is compared
//   OP.bad.tfrecord  GraphDefs of one call each that must fail, without a prefix
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/status.h"
#include "core/tensor.h"
#include "proto/graph.pb.h"

namespace tandem {

struct GoldenCase {
  std::string op;
  int number = 0;
  bool bad = false;              // of the .bad file
  std::string note;
  std::string error;             // "INVALID_ARGUMENT", when it must fail
  std::vector<std::pair<int, Tensor>> wants;  // by output
  bool through_got = false;      // compare got0… instead of op's outputs
  std::optional<double> rtol, atol;
  proto::GraphDef graph;         // names without the prefix, what is only compared left out

  std::string title() const;     // "MatMul 7 (transposed)"
  // Whether every op of it is here.
  bool supported() const;
  std::vector<std::string> fetches() const;  // in the order of wants: "op:0", …
};

// All cases of an op; empty when the folder has none. Throws Error on a damaged file.
std::vector<GoldenCase> LoadGoldenCases(const std::string& folder, const std::string& op);
// The ops that the folder has files of, sorted.
std::vector<std::string> GoldenOps(const std::string& folder);

// How a case is run: gives one tensor for each fetch.
struct GoldenMode {
  const char* name;
  absl::Status (*run)(const GoldenCase& c, Tensors* fetched);
};
const std::vector<GoldenMode>& GoldenModes();

// "" when the case is right in that mode, else got and want.
std::string CheckGoldenCase(const GoldenCase& c, const GoldenMode& mode);

}  // namespace tandem
