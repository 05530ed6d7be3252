// Finds where the first NaN or infinity came from.
//
//   NanHook hook;                                  // from here to the end of the scope, on this thread
//   Tensor loss = Loss(model(x), y);               // Error: NanHook: Log gave -inf at model.cc:12: element 3 of float32[8]
//
//   NanHook quiet({.report = [](const NanReport& r) { std::cerr << r.message << '\n'; }});   // goes on; told once
//
// Every op's results are looked at as they appear: of ops that run eagerly, of gradients (the message then names the forward
// op and its line), and of nodes in a Session's Run, which then runs unoptimised, so that each node is the user's own; the
// results are the same bits. What is fed or was there before is not looked at: if an operand was bad already, the message
// says so. It costs a pass over each result; a program without a hook pays nothing. Scopes end in reverse order.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/export.h"
#include "core/origin.h"
#include "core/tensor_rep.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct NanReport {
  std::string op;       // "Log"
  std::string node;     // in a Session its name, else ""
  std::string where;    // "model.cc:12": the user's line, "" when unknown
  std::string message;  // all of it in one line
};

struct NanHookOptions {
  bool infinities = true;  // false: only NaN is bad
  // Called with the first bad result, instead of the error INVALID_ARGUMENT with its message.
  std::function<void(const NanReport&)> report = {};
};

class NanHook {
 public:
  explicit NanHook(NanHookOptions options = {});
  ~NanHook();
  NanHook(const NanHook&) = delete;
  NanHook& operator=(const NanHook&) = delete;

  bool found() const { return found_; }

  // What follows is for contexts and executors.

  // The innermost of this thread; null when there is none.
  static NanHook* Active() { return count_.load(std::memory_order_relaxed) == 0 ? nullptr : Innermost(); }
  struct Call {
    std::string_view op, node;
    Origin origin;
    std::span<TensorRep* const> inputs, outputs;  // null: not to be looked at
  };
  // Throws, or reports, when an output is bad.
  void Check(const Call& call);
  // Ops that run in the scope compute the gradient of this one.
  class GradientOf {
   public:
    GradientOf(std::string_view op, Origin origin);
    ~GradientOf();
    GradientOf(const GradientOf&) = delete;
    GradientOf& operator=(const GradientOf&) = delete;

   private:
    NanHook* hook_;
    std::string_view op_;
    Origin origin_;
  };

 private:
  class Watch;
  static NanHook* Innermost();
  static std::atomic<int> count_;  // in the process

  NanHookOptions options_;
  NanHook* outer_;
  std::unique_ptr<Watch> watch_;
  std::string_view forward_op_ = {};
  Origin forward_;
  bool found_ = false;
};

}  // namespace tandem
TANDEM_EXPORT_END
