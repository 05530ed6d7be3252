// The library functions of one Session, optimised and planned, shared by its Runs.
//
//   SessionRun run(functions, session_env, control, trace);     // on the stack of a Run
//   Execute(graph, plan, frame, feeds, fetches, run);           // its kernels find functions through run.functions()
#pragma once
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>

#include "core/function.h"
#include "graph/executable.h"

namespace tandem {

// One function's body as Runs execute it.
class FunctionProgram final : public PlanEnv {
 public:
  FunctionProgram(std::shared_ptr<const GraphFunction> function, std::shared_ptr<Executable> executable, std::string path, PlanEnv& session)
      : function(std::move(function)), executable(std::move(executable)), path_(std::move(path)), session_(session) {}
  StateSlot* NodeState(std::string_view node) override;
  KernelEnv& kernel_env() override { return session_.kernel_env(); }

  const std::shared_ptr<const GraphFunction> function;
  const std::shared_ptr<Executable> executable;

 private:
  const std::string path_;  // in front of the names of nodes with state
  PlanEnv& session_;
};

class SessionFunctions {
 public:
  // All outlive this.
  SessionFunctions(const FunctionLibrary& library, const SessionOptions& options, PlanEnv& session) : library_(library), options_(options), session_(session) {}
  ~SessionFunctions() { DropFrames(); }

  // path: of the call. A function that draws random numbers is one program for each place it is called from: what is
  // inlined and what is called then draw the same.
  absl::StatusOr<std::shared_ptr<FunctionProgram>> Find(std::shared_ptr<const GraphFunction> function, const std::string& path, Passing passing);
  const FunctionLibrary& library() const { return library_; }
  // Frames of functions that call themselves hold each other: this ends them.
  void DropFrames();

 private:
  const FunctionLibrary& library_;
  const SessionOptions& options_;
  PlanEnv& session_;
  std::shared_mutex mutex_;
  std::map<std::string, std::shared_ptr<FunctionProgram>, std::less<>> programs_;
};

// The environment of one Run's kernels: the Session's, with this Run's functions and limits.
class SessionRun final : public RunEnv, public FunctionRunner {
 public:
  SessionRun(SessionFunctions& functions, KernelEnv& session, const RunControl& control, RunTrace* trace)
      : RunEnv(control, trace), functions_(functions), session_(session) {}
  ResourceManager& resources() override { return session_.resources(); }
  absl::Status CallHostFunction(std::string_view token, std::span<const Tensor> inputs, Tensors* outputs) override {
    return session_.CallHostFunction(token, inputs, outputs);
  }
  FunctionRunner* functions() override { return this; }
  absl::StatusOr<std::unique_ptr<FunctionInstance>> Find(const FuncAttr& function, Passing passing) override;

 private:
  SessionFunctions& functions_;
  KernelEnv& session_;
};

}  // namespace tandem
