#include "graph/session_functions.h"

#include <algorithm>

namespace tandem {
namespace {

class SessionFunction final : public FunctionInstance {
 public:
  SessionFunction(std::shared_ptr<FunctionProgram> program, std::string path, bool takes)
      : program_(std::move(program)), path_(std::move(path)), takes_(takes) {}
  int num_args() const override { return static_cast<int>(program_->function->args.size()); }
  int num_results() const override { return static_cast<int>(program_->function->results.size()); }

  absl::Status Call(KernelEnv& env, std::span<TensorRep*> args, std::span<TensorRep*> results) override {
    RunEnv& run = static_cast<RunEnv&>(env);
    absl::Status status = Prepare(run, args);
    if (status.ok()) {
      const std::string_view outer_path = std::exchange(run.path, path_), outer_node = run.node;
      ++run.depth;
      status = Execute(program_->executable->graph(), planned_->plan(), *frame_, args, results, run);
      --run.depth;
      run.path = outer_path;
      run.node = outer_node;
      if (takes_) std::fill(args.begin(), args.end(), nullptr);  // the frame has let go of them
    } else if (takes_) {
      for (TensorRep*& rep : args) Unref(std::exchange(rep, nullptr));
    }
    return status;
  }

 private:
  absl::Status Prepare(RunEnv& run, std::span<TensorRep* const> args) {
    if (run.depth >= kMaxFunctionDepth)
      return InvalidArgument("function \"", program_->function->name, "\": calls are nested more than ", kMaxFunctionDepth, " deep; does it call itself for ever?");
    if (run.control.checks()) RETURN_IF_ERROR(run.control.Check());
    if (planned_ && planned_->Fits(args)) return absl::OkStatus();
    if (planned_) planned_->Give(std::move(frame_));
    bool made;
    auto planned = program_->executable->PlanFor(args, *program_, &made);
    if (!planned.ok()) {
      planned_ = nullptr;
      return absl::Status(planned.status());
    }
    planned_ = *std::move(planned);
    frame_ = planned_->Take();
    if (frame_) return absl::OkStatus();
    planned_ = nullptr;
    return absl::ResourceExhaustedError(absl::StrCat("function \"", program_->function->name, "\": no memory for its arena"));
  }

  const std::shared_ptr<FunctionProgram> program_;
  const std::string path_;
  const bool takes_;
  std::shared_ptr<PlannedRun> planned_;
  std::unique_ptr<Frame> frame_;
};

}  // namespace

StateSlot* FunctionProgram::NodeState(std::string_view node) { return session_.NodeState(absl::StrCat(path_, Absl(node))); }

absl::StatusOr<std::shared_ptr<FunctionProgram>> SessionFunctions::Find(std::shared_ptr<const GraphFunction> function, const std::string& path, Passing passing) {
  const std::string& name = function->name;
  const std::string place = function->has_random ? path : absl::StrCat(name, "/");
  const std::string key = absl::StrCat(passing == Passing::kTake ? "t" : "b", name, "\n", place);
  {
    std::shared_lock lock(mutex_);
    if (const auto it = programs_.find(key); it != programs_.end()) return it->second;
  }
  ASSIGN_OR_RETURN(std::shared_ptr<Executable> executable, Executable::MakeFunction(*function, options_, passing == Passing::kTake));
  std::unique_lock lock(mutex_);
  auto& program = programs_[key];  // another thread may have been faster
  if (!program) program = std::make_shared<FunctionProgram>(std::move(function), std::move(executable), place, session_);
  return program;
}

void SessionFunctions::DropFrames() {
  std::vector<std::shared_ptr<FunctionProgram>> programs;
  {
    std::shared_lock lock(mutex_);
    for (const auto& [key, program] : programs_) programs.push_back(program);
  }
  for (const auto& program : programs) program->executable->DropFrames();
}

absl::StatusOr<std::unique_ptr<FunctionInstance>> SessionRun::Find(const FuncAttr& function, Passing passing) {
  // A plain call's nodes go by the name they have when the call is inlined.
  ASSIGN_OR_RETURN(const std::shared_ptr<const GraphFunction> found, functions_.library().Get(function.name));
  const std::string& name = found->source.empty() ? found->name : found->source;
  const std::string here = absl::StrCat(Absl(path), Absl(node), "/", plain_call ? "" : absl::StrCat(name, "/"));
  ASSIGN_OR_RETURN(std::shared_ptr<FunctionProgram> program, functions_.Find(found, here, passing));
  return std::make_unique<SessionFunction>(std::move(program), here, passing == Passing::kTake);
}

}  // namespace tandem
