#include "eager/train/checkpoint_manager.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "core/bundle/output_file.h"
#include "tests/temporary.h"
#include "tests/thrown.h"

namespace tandem::train {
namespace {

bool There(const std::string& prefix) { return std::filesystem::exists(prefix + ".index"); }

}  // namespace

TEST_CASE("the last few are kept, older ones deleted") {
  const TemporaryFolder folder;
  Variable x(0.);
  Checkpoint checkpoint({{"x", x}});
  double now = 1000;
  const CheckpointManagerOptions options = {.max_to_keep = 2, .checkpoint_name = "c", .clock = [&] { return now; }};
  CheckpointManager manager(checkpoint, folder / "run", options);
  CHECK(manager.RestoreOrInitialize([&] { x.Assign(7.); }) == "");
  CHECK(x.item<float>() == 7);
  for (int i = 1; i <= 4; ++i) {
    x.Assign(static_cast<double>(i));
    CHECK(manager.Save() == folder / "run/c-" + std::to_string(i));
    ++now;
  }
  CHECK(manager.checkpoints() == std::vector<std::string>{folder / "run/c-3", folder / "run/c-4"});
  CHECK(!There(folder / "run/c-2"));
  CHECK(There(folder / "run/c-3"));
  CHECK(*ReadWholeFile(folder / "run/checkpoint") ==
        "model_checkpoint_path: \"c-4\"\nall_model_checkpoint_paths: \"c-3\"\nall_model_checkpoint_paths: \"c-4\"\n"
        "all_model_checkpoint_timestamps: 1002\nall_model_checkpoint_timestamps: 1003\nlast_preserved_timestamp: 1000\n");

  // The next process goes on.
  Variable y(0.);
  Checkpoint again({{"x", y}});
  CheckpointManager next(again, folder / "run", options);
  CHECK(next.RestoreOrInitialize() == folder / "run/c-4");
  CHECK(y.item<float>() == 4);
  CHECK(next.Save() == folder / "run/c-5");
  CHECK(next.checkpoints() == std::vector<std::string>{folder / "run/c-4", folder / "run/c-5"});
  CHECK(!There(folder / "run/c-3"));
}

TEST_CASE("one in so many hours stays for good") {
  const TemporaryFolder folder;
  Variable x(0.);
  Checkpoint checkpoint({{"x", x}});
  double now = 0.5;
  CheckpointManager manager(checkpoint, folder.path(), {.max_to_keep = 1, .keep_checkpoint_every_n_hours = 1, .clock = [&] { return now; }});
  for (int i = 0; i < 6; ++i) {
    manager.Save();
    now += 1800;
  }
  std::vector<int> kept;
  for (int i = 1; i <= 6; ++i)
    if (There(folder / "ckpt-" + std::to_string(i))) kept.push_back(i);
  CHECK(kept == std::vector<int>{3, 5, 6});
}

TEST_CASE("TensorFlow's folder, and bad arguments") {
  Variable x(0.);
  Checkpoint checkpoint({{"numbers", x}});
  const CheckpointManager manager(checkpoint, "tests/data/fixtures/checkpoints/object_momentum_slots");
  CHECK(manager.latest_checkpoint() == "tests/data/fixtures/checkpoints/object_momentum_slots/ckpt-6");
  CHECK(Thrown([&] { CheckpointManager(checkpoint, "/tmp", {.max_to_keep = -1}); }) ==
        "INVALID_ARGUMENT CheckpointManager: max_to_keep is -1, must be at least 0");
}

}  // namespace tandem::train
