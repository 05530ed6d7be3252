// A training run that is killed and goes on as if nothing had happened, and what it learnt, served.
//
// The program runs itself as the process that gets killed: train_and_serve --until-killed FOLDER.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "tandem.h"

namespace td = tandem;

constexpr int kSteps = 20, kSaveEvery = 5, kKilledAfter = 12;

// The batch of a step: points in a square, and whether both coordinates have one sign.
std::pair<td::Tensor, td::Tensor> Batch(int64_t step) {
  std::vector<float> points;
  std::vector<int32_t> labels;
  for (int64_t i = step * 32; i < (step + 1) * 32; ++i) {
    const float x = static_cast<float>(i * 37 % 101) / 50.f - 1, y = static_cast<float>(i * 59 % 103) / 51.f - 1;
    points.insert(points.end(), {x, y});
    labels.push_back(x * y > 0);
  }
  return {td::Tensor::FromData<float>({32, 2}, points), labels};
}

struct Training {
  td::nn::Sequential model{td::nn::Dense(16, {.activation = td::Tanh, .input_shape = {2}}), td::nn::Dense(2)};
  td::train::AdamOptimizer optimizer{0.02};
  td::Variable step{int64_t{0}, {.name = "step", .trainable = false}};
  td::train::Checkpoint checkpoint{{"model", model}, {"optimizer", optimizer}, {"step", step}};

  float Step() {
    const auto [points, labels] = Batch(step.item<int64_t>());
    td::GradientTape tape;
    const td::Tensor loss = td::losses::SparseSoftmaxCrossEntropy(labels, model(points));
    optimizer.ApplyGradients(tape.Gradient(loss, model.variables()), model.variables(), step);
    return loss.item<float>();
  }
};

// Trains from FOLDER/start, saves now and then, and is gone in the middle of it.
int UntilKilled(const std::string& folder) {
  Training run;
  run.checkpoint.Read(folder + "/start").AssertExistingObjectsMatched();
  td::train::CheckpointManager manager(run.checkpoint, folder + "/run", {.max_to_keep = 2});
  for (int i = 1; i <= kSteps; ++i) {
    run.Step();
    if (i % kSaveEvery == 0) manager.Save();
    if (i == kKilledAfter) std::raise(SIGKILL);
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--until-killed") return UntilKilled(argv[2]);
  const std::string folder = (std::filesystem::temp_directory_path() / "tandem_train_and_serve").string();
  std::filesystem::remove_all(folder);

  // What a run gives that nobody disturbs.
  Training straight;
  straight.checkpoint.Write(folder + "/start");
  std::vector<float> losses;
  for (int i = 0; i < kSteps; ++i) losses.push_back(straight.Step());
  std::cout << "undisturbed: " << kSteps << " steps, the loss fell: " << (losses.back() < losses.front() ? "yes" : "no") << std::endl;

  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", argv[0], "--until-killed", folder.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::cout << "a second process: " << (WIFSIGNALED(status) ? "killed" : "not killed") << " after step " << kKilledAfter << '\n';

  Training resumed;
  td::train::CheckpointManager manager(resumed.checkpoint, folder + "/run");
  const std::string latest = manager.RestoreOrInitialize();
  const auto from = static_cast<size_t>(resumed.step.item<int64_t>());
  std::cout << "resumed from " << std::filesystem::path(latest).filename().string() << ", step " << from << '\n';
  bool same = true;
  for (size_t i = from; i < kSteps; ++i) same = resumed.Step() == losses[i] && same;
  std::cout << "the same losses as undisturbed: " << (same ? "yes" : "no") << '\n';

  // The model as a graph with its variables, in a folder that TensorFlow Serving reads too.
  td::Graph graph;
  {
    td::GraphScope scope(graph);
    const td::Tensor points = td::Placeholder(td::kFloat32, {-1, 2}, "points");
    const td::Tensor logits = td::Identity(resumed.model(points), "logits");
    td::SaveModel(folder + "/model", graph, {.signatures = {{"serving_default", {{{"points", points}}, {{"logits", logits}}}}}});
  }
  td::LoadedModel served = td::LoadModel(folder + "/model");
  const td::Tensor points = Batch(kSteps).first;
  const td::Tensor ours = resumed.model(points), theirs = served.Run({{"points", points}})["logits"];
  std::cout << "served: the same logits: " << (td::All(ours == theirs) ? "yes" : "no") << '\n';
  std::filesystem::remove_all(folder);
}
