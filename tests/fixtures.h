// Graphs and broken files that TensorFlow wrote, with what it answered (the layout: case.json beside each graph,
// broken/index.json for files that are wrong on purpose).
//
//   for (const Fixture& f : LoadFixtures("tests/data/fixtures")) if (f.supported()) CHECK(CheckFixture(f, level) == "");
#pragma once
#include <string>
#include <vector>

#include "graph/session.h"
#include "nlohmann/json.hpp"

namespace tandem {

struct Fixture {
  std::string name;
  std::string folder;         // of its files
  nlohmann::json spec;        // case.json, or the entry of broken/index.json
  bool broken = false;
  std::string missing;        // why it cannot be run here: an op, or a kind of file; "" when it can

  bool supported() const { return missing.empty(); }
};

// Every graph case, every record file and every broken graph, .npy or record file below `folder`, as far as the folder
// holds them.
std::vector<Fixture> LoadFixtures(const std::string& folder);
// "" when values, or the error's code and the names in its text, are as wanted; "skipped: …" when the file turns out to
// need an op that is not here, or is text, which is read where TensorFlow refuses it.
std::string CheckFixture(const Fixture& fixture, OptLevel level);

}  // namespace tandem
