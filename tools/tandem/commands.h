// The sub-commands of `tandem`: each adds itself to the command line and gives the exit status when it is chosen.
// 0: fine; 1: what was asked for failed (an Error, said on stderr); 2: wrong usage.
#pragma once
#include <functional>

#include "CLI/CLI.hpp"

namespace tandem::tool {

using Action = std::function<int()>;

// The option that every command with a graph takes.
struct GraphArguments {
  std::string path;
  std::vector<std::string> feeds;    // NAME=FILE.npy or NAME=literal
  std::vector<std::string> fetches;  // NAME[,NAME...]
  std::vector<std::string> init, targets;
  std::string level = "O2";
  std::vector<std::string> disable;
};

void AddTour(CLI::App& app, Action& chosen);
void AddOps(CLI::App& app, Action& chosen);
void AddRun(CLI::App& app, Action& chosen);
void AddOptimize(CLI::App& app, Action& chosen);
void AddShow(CLI::App& app, Action& chosen);
void AddCheck(CLI::App& app, Action& chosen);
void AddConvert(CLI::App& app, Action& chosen);
void AddCkpt(CLI::App& app, Action& chosen);
void AddEvents(CLI::App& app, Action& chosen);
void AddBench(CLI::App& app, Action& chosen);

}  // namespace tandem::tool
