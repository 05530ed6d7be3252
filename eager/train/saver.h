// Saving variables by name, as TensorFlow 1's Saver does, in both modes.
//
//   train::Saver saver({w, b}, {.max_to_keep = 3});                     // by their names, or {{"weights", w}, …}
//   std::string path = saver.Save("run/model", 100);                     // run/model-100
//   saver.Restore(path);
//
// Made under a GraphScope it adds ops that save and restore what a Session holds, and a Session runs them:
//
//   session.Run({{saver.filename(), Tensor("run/model")}}, saver.save_tensor());
//   session.Run({{saver.filename(), Tensor("run/model")}}, {}, {saver.restore_op()});
//
// The files have no object graph: TensorFlow's Saver and load_checkpoint read them, and train::Checkpoint by names.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/export.h"
#include "core/variable.h"

TANDEM_EXPORT_BEGIN
namespace tandem::train {

class Retention;

struct SaverOptions {
  int max_to_keep = 5;                       // 0: all
  double keep_checkpoint_every_n_hours = 0;  // of those that would go, one in so many hours stays for good; 0: none
};

class Saver {
 public:
  using NamedVariables = std::vector<std::pair<std::string, Variable>>;
  // INVALID_ARGUMENT: no variable, an undefined one, two of one name.
  explicit Saver(const std::vector<Variable>& variables, SaverOptions options = {});
  explicit Saver(NamedVariables variables, SaverOptions options = {});

  // Eagerly: writes PREFIX-STEP, or PREFIX for a negative step, notes it in the folder's `checkpoint` file and deletes the
  // oldest beyond max_to_keep. Gives the path. FAILED_PRECONDITION for a Saver of a graph.
  std::string Save(const std::string& prefix, int64_t global_step = -1);
  // Nothing has changed when it throws. NOT_FOUND names what is not in the checkpoint, INVALID_ARGUMENT what is another
  // dtype or shape.
  void Restore(const std::string& path);

  // In a graph: the string scalar to feed, the tensor whose fetch saves (it is the file's prefix), the op that restores.
  const std::string& filename() const { return filename_; }
  const std::string& save_tensor() const { return save_tensor_; }
  const std::string& restore_op() const { return restore_op_; }

 private:
  void AddOps();
  NamedVariables variables_;
  SaverOptions options_;
  std::string filename_, save_tensor_, restore_op_;
  std::shared_ptr<Retention> retention_;
};

}  // namespace tandem::train
TANDEM_EXPORT_END
