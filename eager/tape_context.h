// The context behind GradientTape: forwards each call to the context below, and records those that read a watched value.
//
// What a tape knows of a tensor is the mark in the tensor's own block: the tape's serial and a value number. A mark that
// belongs to another living tape (the outer one of two nested tapes) is left alone; then a side map holds the value,
// and the tensor with it, so that its address is not reused.
#pragma once
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/gradient_override.h"
#include "eager/tape_record.h"

namespace tandem {

class TapeContext final : public Context {
 public:
  explicit TapeContext(bool watch_accessed_variables);
  ~TapeContext() override;

  absl::Status Dispatch(const OpCall& call, std::span<TensorRep*> outputs) override;
  bool executing_eagerly() const override { return below_->executing_eagerly(); }
  Context& base() override { return below_->base(); }
  RandomSeeds& random_seeds() override { return below_->random_seeds(); }
  absl::Status RecordCustom(std::string_view name, const Tensors& inputs, Tensors& outputs, BackwardFn backward,
                            Origin origin) override;

  // Makes t a value of this tape; nothing when it is one, or when its dtype has no gradients.
  void Watch(const Tensor& t);
  void Pause() { ++paused_; }
  void Resume() { --paused_; }
  // Stops recording for good and leaves the stack of contexts. If another scope lies above, the context stays in the
  // stack and only forwards; then it deletes itself when it is on top, and the return value is true.
  bool Stop(bool disown);
  bool recording() const { return recording_; }
  // Whether this is the thread that made the tape.
  bool OnOwnThread() const { return home_ == &thread_state; }

  // The value a tensor stands for: negative when it is none (kNoValue) or cut.
  int32_t ValueOf(const TensorRep& rep) const;
  int32_t num_values() const { return next_value_; }
  // The records, oldest first.
  std::vector<TapeRecord*> Records() const;
  const BackwardFn& custom(int i) const { return customs_[i].backward; }
  std::string_view custom_name(int i) const { return customs_[i].name; }
  // What its outputs were before they became values of the custom gradient: Explain tells what that hides.
  std::span<const int32_t> custom_hides(int i) const { return customs_[i].hidden; }
  // Lets go of every tensor the records hold; recording must have stopped.
  void ReleaseTensors();
  // Variable handles read or watched, in order.
  const std::vector<Tensor>& watched_handles() const { return handles_; }

 private:
  struct Custom {
    std::string name;
    BackwardFn backward;
    std::vector<int32_t> hidden;
  };
  // As ValueOf; a trainable variable's handle that a differentiable op reads becomes a value.
  int32_t InputValue(TensorRep& rep, bool differentiable);
  int32_t WatchHandle(TensorRep& handle);
  absl::Status Record(const OpCall& call, std::span<TensorRep*> outputs);
  absl::Status RecordOverride(const OpCall& call, std::span<TensorRep*> outputs, const GradientOverrideFn& gradient);
  // A record of this tape alone; null when no input is a value. Replaces outputs where they need a header of their own.
  absl::StatusOr<TapeRecord*> NewCustomRecord(std::string_view name, std::span<TensorRep* const> inputs, std::span<TensorRep*> outputs,
                                              Origin origin);
  void PassCut(std::span<TensorRep*> outputs, int32_t cut);
  [[gnu::always_inline]] TapeRecord* NewRecord(OpId op, int num_inputs, int num_outputs, Origin origin);
  void SetMark(TensorRep& rep, int32_t value);
  [[gnu::always_inline]] void MarkOutput(TensorRep& rep, int32_t value);
  absl::Status MakeFresh(TensorRep*& rep, std::span<TensorRep* const> inputs) const;

  const uint32_t serial_;
  Context* below_;
  const ThreadState* home_;
  bool recording_ = true;
  bool in_stack_ = true;
  bool watch_variables_;
  bool released_ = false; // ReleaseTensors was called: recording has ended
  bool orphan_ = false;   // deletes itself once on top
  int paused_ = 0;
  int32_t next_value_ = 0;
  int32_t num_records_ = 0;
  TapeRecord* last_ = nullptr;
  TapeArena arena_;
  absl::flat_hash_map<const TensorRep*, int32_t> side_;  // values of tensors whose mark is not ours
  std::vector<Tensor> pinned_;                           // keys of side_, and watched tensors
  std::vector<Tensor> handles_;
  std::vector<Custom> customs_;
};

}  // namespace tandem
