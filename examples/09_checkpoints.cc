// Checkpoints of objects: save, restore, restore what is made later.
#include <filesystem>
#include <iostream>

#include "tandem.h"

namespace td = tandem;

// An object with state: its variables are saved under the names it gives them.
class Line : public td::Trackable {
 public:
  void Build() {
    slope_ = td::Variable(0., {.name = "slope"});
    state()->Add("slope", slope_);
  }
  td::Variable& slope() { return slope_; }

 private:
  td::Variable slope_;
};

int main() {
  const std::string folder = (std::filesystem::temp_directory_path() / "tandem_checkpoints").string();
  std::filesystem::remove_all(folder);

  td::Variable x(10.);
  td::train::Checkpoint checkpoint({{"x", x}});
  x.Assign(2.);
  const std::string path = checkpoint.Save(folder + "/ckpt");
  x.Assign(11.);
  checkpoint.Restore(path).AssertConsumed();
  std::cout << "x is " << x.ToString() << " again\n";

  // A manager keeps the last few. An object that gets its variables later gets their values then.
  Line line;
  line.Build();
  line.slope().Assign(3.);
  td::train::Checkpoint run({{"line", line}, {"x", x}});
  td::train::CheckpointManager manager(run, folder + "/run", {.max_to_keep = 2});
  for (int i = 0; i < 3; ++i) manager.Save();
  std::cout << "kept:";
  for (const std::string& kept : manager.checkpoints()) std::cout << ' ' << std::filesystem::path(kept).filename().string();
  std::cout << '\n';

  Line later;
  td::train::Checkpoint next({{"line", later}, {"x", x}});
  const auto status = next.Restore(td::train::LatestCheckpoint(folder + "/run"));
  std::cout << "waiting: " << status.unused()[0] << '\n';
  later.Build();
  status.AssertConsumed();
  std::cout << "slope is " << later.slope().ToString() << '\n';
  std::filesystem::remove_all(folder);
}
