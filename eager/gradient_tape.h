// GradientTape: records ops as they run, and differentiates what it recorded.
//
//   Variable w({{1.0}});
//   GradientTape tape;
//   Tensor loss = w * w;                         // w is trainable: watched by itself
//   Tensor g = tape.Gradient(loss, w);           // [[2.]]
//
//   GradientTape outer;                          // tapes nest: the gradient is itself differentiable
//   outer.Watch(x);
//   Tensor dy;
//   { GradientTape inner; inner.Watch(x); dy = inner.Gradient(x * x * x, x); }
//   Tensor d2y = outer.Gradient(dy, x);
//
// A tape records from its construction to its first Gradient(), or to the end of its scope when persistent, and only
// calls that read something watched. It keeps the tensors that gradients read, and drops them as the first Gradient()
// returns (persistent: with the tape). A tape belongs to the thread that made it; tapes end in reverse order, as scopes do.
// Under a GraphScope the same code adds the gradient's nodes to the graph.
#pragma once
#include <memory>
#include <string>

#include "core/export.h"
#include "core/unconnected_gradients.h"
#include "eager/sources.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

class TapeContext;

struct GradientTapeOptions {
  bool persistent = false;                // Gradient() may be asked any number of times
  bool watch_accessed_variables = true;   // false: only what Watch() names
};

struct GradientOptions {
  Tensors output_gradients = {};  // dy for each y; ones where undefined or left out
  UnconnectedGradients unconnected = UnconnectedGradients::kNone;
};

class GradientTape {
 public:
  explicit GradientTape(GradientTapeOptions options = {});
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  // From here on, what is computed from the source is recorded. A dtype without gradients (integers) is not watched.
  // FAILED_PRECONDITION when undefined, or when the tape has ended.
  void Watch(const Source& source);
  void Watch(const Sources& sources);

  // d(sum of y)/d(source): undefined where y does not depend on it (then Explain says why), or zeros if asked for.
  // FAILED_PRECONDITION at the second call of a tape that is not persistent, on an undefined argument, from another
  // thread; INVALID_ARGUMENT when an output gradient does not fit its y; else what a gradient function reports.
  template <SourceLike T>
  Tensor Gradient(const Tensor& y, const T& source, const GradientOptions& options = {}) {
    return std::move(Gradient(Tensors{y}, Sources{source}, options)[0]);
  }
  template <SourceLike T>
  Tensor Gradient(const Tensors& ys, const T& source, const GradientOptions& options = {}) {
    return std::move(Gradient(ys, Sources{source}, options)[0]);
  }
  Tensors Gradient(const Tensor& y, const Sources& sources, const GradientOptions& options = {}) {
    return Gradient(Tensors{y}, sources, options);
  }
  // Of the sum of several targets.
  Tensors Gradient(const Tensors& ys, const Sources& sources, const GradientOptions& options = {});

  // The derivative of each element of y by each of x: [y's dimensions, x's dimensions], as one use of the tape. Undefined
  // where y does not depend on x, or zeros if asked for. One walk over the tape for each element of y: its shape must be
  // known, INVALID_ARGUMENT otherwise. Errors are those of Gradient.
  template <SourceLike T>
  Tensor Jacobian(const Tensor& y, const T& source, UnconnectedGradients unconnected = UnconnectedGradients::kNone) {
    return std::move(Jacobian(y, Sources{source}, unconnected)[0]);
  }
  Tensors Jacobian(const Tensor& y, const Sources& sources, UnconnectedGradients unconnected = UnconnectedGradients::kNone);
  // The same sample by sample, for a y whose row i depends on no row of x but i: y: [b, m…], x: [b, n…] -> [b, m…, n…], in
  // as many walks as a row of y has elements. b may be unknown. INVALID_ARGUMENT when the first dimensions differ.
  template <SourceLike T>
  Tensor BatchJacobian(const Tensor& y, const T& source, UnconnectedGradients unconnected = UnconnectedGradients::kNone) {
    return BatchJacobian(y, Source(source), unconnected);
  }
  Tensor BatchJacobian(const Tensor& y, const Source& source, UnconnectedGradients unconnected = UnconnectedGradients::kNone);

  // How y depends on x: the ops of one path, or the op that cut it, with its line, or that x was not watched.
  std::string Explain(const Tensor& y, const Source& x) const;

  // Recording pauses for the life of the returned scope.
  class [[nodiscard]] Pause {
   public:
    explicit Pause(TapeContext* tape);
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    TapeContext* tape_;
  };
  Pause StopRecording() { return Pause(tape_.get()); }

  // The handles of variables read or watched so far, in order.
  const Tensors& watched_handles() const;

 private:
  // From Begin to its end the tape is used once: it stops recording and at the end lets go of what it kept, unless it is
  // persistent.
  class Use {
   public:
    Use(GradientTape& tape, const char* what, const Tensors& ys, const Sources& sources);
    ~Use();
    // consume: nobody walks again within this use.
    Tensors Walk(const Tensors& ys, const Sources& sources, const GradientOptions& options, bool consume);

   private:
    GradientTape& tape_;
  };
  void CheckUsable(const char* what) const;

  GradientTapeOptions options_;
  std::unique_ptr<TapeContext> tape_;
  bool used_ = false;
};

}  // namespace tandem
TANDEM_EXPORT_END
