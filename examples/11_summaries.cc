// 11. Summaries: what a run writes for TensorBoard (tensorboard --logdir FOLDER), and how often.
#include <filesystem>
#include <iostream>

#include "tandem.h"

namespace td = tandem;

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : std::filesystem::temp_directory_path() / "tandem_summaries";
  if (argc < 2) std::filesystem::remove_all(folder);
  td::Variable w({5.0});
  td::Variable step = td::train::GetOrCreateGlobalStep();
  std::string path;
  {
    td::summary::FileWriter writer(folder.string());
    path = writer.path();
    auto scope = writer.AsDefault();
    td::summary::RecordEveryNGlobalSteps every(100);
    td::summary::HParams({{"rate", 0.01}, {"steps", 300}});
    td::summary::Text("notes", "w goes to 2");
    for (int i = 0; i < 300; ++i) {
      td::GradientTape tape;
      const td::Tensor loss = td::Sum(td::Square(w - 2.));
      w.AssignSub(0.01 * tape.Gradient(loss, w));
      td::summary::Scalar("loss", loss);       // at the steps 0, 100 and 200
      td::summary::Histogram("w", w);
      step.AssignAdd(int64_t{1});
    }
    td::summary::AlwaysRecord always;
    td::summary::Scalar("final", td::Sum(w));  // at the step 300, which 100 divides, too
  }  // the last handle of the writer: all is on the disk
  std::cout << "w is " << w.ToString() << '\n';
  std::cout << "events: " << (std::filesystem::file_size(path) > 500 ? "written" : "missing") << '\n';
}
