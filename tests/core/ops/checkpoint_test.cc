#include "core/ops/checkpoint.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/compare.h"
#include "tests/temporary.h"
#include "tests/thrown.h"

namespace tandem {

TEST_CASE("save and restore, whole and in parts") {
  const TemporaryFolder folder;
  const Tensor prefix = folder / "c", w = {{1., 2.}, {3., 4.}}, words = {"a", "bc"};
  SaveV2(prefix, {"w", "words"}, {}, {w, words});
  const Tensors back = RestoreV2(prefix, {"words", "w", "w"}, {"", "", "2 2 1,1:-"}, {kString, kFloat32, kFloat32});
  CHECK(DifferentBits(back[0], words) == "");
  CHECK(DifferentBits(back[1], w) == "");
  CHECK(back[2].ToString() == "[[3. 4.]]");

  SaveV2(prefix, {"v", "v"}, {"4 0,2", "4 2,2"}, {{1, 2}, {3, 4}});
  CHECK(RestoreV2(prefix, {"v", "v"}, {"", "4 1,2"}, {kInt32, kInt32})[1].ToString() == "[2 3]");
}

TEST_CASE("a graph saves and restores") {
  const TemporaryFolder folder;
  Graph graph;
  std::string initializer;
  {
    GraphScope scope(graph);
    Variable v({1., 2.}, {.name = "v"});
    const Tensor prefix = Placeholder(kString, {}, "prefix");
    SaveV2(prefix, {"v"}, {}, {v});
    const Tensor restored = RestoreV2(prefix, {"v"}, {"2 -"}, {kFloat32})[0];
    CHECK(restored.shape() == Shape{2});
    Identity(v.Assign(restored), "restored");
    Identity(v.AssignAdd({10., 10.}), "more");
    Identity(v, "now");
    initializer = graph.Initializer();
  }
  for (const OptLevel level : {OptLevel::kO0, OptLevel::kO2}) {
    Session session(graph, {.level = level});
    session.Run({}, {}, {initializer});
    session.Run({{"prefix:0", Tensor(folder / "g")}}, {}, {"SaveV2"});
    CHECK(session.Run({}, "more:0").ToString() == "[11. 12.]");
    CHECK(session.Run({{"prefix:0", Tensor(folder / "g")}}, "restored:0").ToString() == "[1. 2.]");
  }
}

TEST_CASE("checkpoints of shards are joined, and names of shards") {
  const TemporaryFolder folder;
  const Tensor parts = {folder / "t/0", folder / "t/1"};
  SaveV2(folder / "t/0", {"a"}, {}, {Tensor(1)});
  SaveV2(folder / "t/1", {"b"}, {}, {Tensor(2)});
  MergeV2Checkpoints(parts, folder / "all");
  CHECK(RestoreV2(folder / "all", {"b", "a"}, {}, {kInt32, kInt32})[0].item<int>() == 2);
  CHECK(!std::filesystem::exists(folder / "t"));
  CHECK(ShardedFilename("p", 3, 12).ToString() == "b'p-00003-of-00012'");
}

TEST_CASE("bad calls") {
  const TemporaryFolder folder;
  const std::string c = folder / "c";
  SaveV2(c, {"w"}, {}, {Tensor({1., 2.})});
  CHECK(Thrown([&] { SaveV2(Tensor({c}), {"w"}, {}, {Tensor(1)}); }) == "INVALID_ARGUMENT SaveV2: prefix must be a scalar, is [1]");
  CHECK(Thrown([&] { SaveV2(c, {"w", "x"}, {}, {Tensor(1)}); }) == "INVALID_ARGUMENT SaveV2: tensor_names is [2] (dim 0 = 2), there are 1 tensors");
  CHECK(Thrown([&] { SaveV2(c, {"w"}, {"3 0,2"}, {Tensor({1, 2, 3})}); }) ==
        "INVALID_ARGUMENT SaveV2: tensors[0] is [3], its slice \"3 0,2\" is [2]");
  CHECK(Thrown([&] { SaveV2(c, {"w"}, {"3 4,2"}, {Tensor({1, 2})}); }) == "INVALID_ARGUMENT SaveV2: slice 4,2 is no part of [3] (dimension 0)");
  CHECK(Thrown([&] { SaveV2(c, {"w", "w"}, {}, {Tensor(1), Tensor(2)}); }) == "INVALID_ARGUMENT SaveV2: entry \"w\": there is one of that name already");
  CHECK(Thrown([&] { RestoreV2(c, {"x"}, {}, {kFloat32}); }) == "NOT_FOUND RestoreV2: " + c + ".index: there is no entry \"x\"");
  CHECK(Thrown([&] { RestoreV2(c, {"w"}, {}, {kInt32}); }) == "INVALID_ARGUMENT RestoreV2: " + c + ".index: entry \"w\" is float32, int32 is asked for");
  CHECK(Thrown([&] { RestoreV2(c, {"w"}, {"3 -"}, {kFloat32}); }) ==
        "INVALID_ARGUMENT RestoreV2: " + c + ".index: entry \"w\" is [2], a slice of [3] is asked for");
  CHECK(Thrown([&] { RestoreV2(c + "x", {"w"}, {}, {kFloat32}); }) ==
        "NOT_FOUND RestoreV2: " + c + "x.index: cannot be opened: No such file or directory");
  CHECK(Thrown([&] { MergeV2Checkpoints(Tensor(std::vector<std::string>()), c); }) == "INVALID_ARGUMENT MergeV2Checkpoints: there is no checkpoint to join");
  // The last good save is untouched by all of this.
  CHECK(RestoreV2(c, {"w"}, {}, {kFloat32})[0].ToString() == "[1. 2.]");
}

}  // namespace tandem
