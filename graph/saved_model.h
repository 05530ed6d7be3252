// SavedModel: a graph with its variables, files and signatures in a folder, as TensorFlow writes and loads it.
//
//   SaveModel("model", graph, {.signatures = {{"serving_default", {{{"images", x}}, {{"logits", y}}}}}});
//   LoadedModel model = LoadModel("model");
//   Tensor logits = model.Run({{"images", batch}})["logits"];
//
// What is written is of TensorFlow 1's style (variables by their names, a saver, no object graph), which TensorFlow 1 and 2
// and TensorFlow Serving load. What TensorFlow wrote loads as far as its ops are here: the variables are restored, then the
// initializer runs with the assets' paths.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/export.h"
#include "graph/session.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// The names by which a caller knows tensors of the graph.
struct Signature {
  std::map<std::string, TensorName> inputs, outputs;
  std::string method_name = "tensorflow/serving/predict";
};

// A file the model needs: its path is fed as `tensor`, a string, when the initializer runs.
struct Asset {
  TensorName tensor;
  std::string path;
};

struct SaveModelOptions {
  std::map<std::string, Signature> signatures;  // "serving_default" is what tools look for
  std::vector<std::string> tags = {"serve"};
  std::vector<Asset> assets;   // copied into the folder's assets/
  std::string init_op;         // an op to run after the variables are restored: tables and the like
  Session* session = nullptr;  // holds the values of variables that were made in the graph
};

// Makes the folder, which must not be there or be empty; it appears whole or not at all. Variables that the graph shares
// with eager code are saved with their present values.
// ALREADY_EXISTS. INVALID_ARGUMENT: no signature, a tensor that is not the graph's. FAILED_PRECONDITION: a variable without
// a value; a host function that is not registered under a name (all are listed): the file could not say what it does.
void SaveModel(const std::string& folder, const Graph& graph, const SaveModelOptions& options);

struct LoadModelOptions {
  std::vector<std::string> tags = {"serve"};  // of the one graph that has exactly these
  SessionOptions session;
};

struct SignatureInfo {
  struct Argument {
    std::string name;    // as callers say
    std::string tensor;  // in the graph: "serving_default_x:0"
    DType dtype = DType::kInvalid;
    Shape shape;
  };
  std::string name;
  std::vector<Argument> inputs, outputs;
};

class LoadedModel {
 public:
  // All of it; where an op is not here, only what serves: signatures, restoring, initializing.
  const Graph& graph() const { return graph_; }
  Session& session() { return *session_; }
  const std::vector<SignatureInfo>& signatures() const { return signatures_; }
  // "serving_default" when signature is empty, or the only one. NOT_FOUND lists what there is. INVALID_ARGUMENT: an input
  // that is missing or is none of the signature's.
  std::map<std::string, Tensor> Run(const std::map<std::string, Tensor>& inputs, std::string_view signature = "");
  const SignatureInfo& FindSignature(std::string_view name) const;

 private:
  friend LoadedModel LoadModel(const std::string& folder, LoadModelOptions options);
  Graph graph_;
  std::unique_ptr<Session> session_;
  std::vector<SignatureInfo> signatures_;
};

// NOT_FOUND: no saved_model.pb (or .pbtxt), no graph of these tags (those there are listed), variables that are not there.
// DATA_LOSS: damaged files. Errors of Graph::Parse and of the Runs that restore and initialize.
LoadedModel LoadModel(const std::string& folder, LoadModelOptions options = {});

}  // namespace tandem
TANDEM_EXPORT_END
