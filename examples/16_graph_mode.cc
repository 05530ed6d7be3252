// Graph mode: the functions that run eagerly record a graph when a GraphScope is open. The graph shares the variables; a
// Session optimises and runs it, and the file that it saves is TensorFlow's.
#include <iostream>

#include "tandem.h"

namespace td = tandem;

int main() {
  td::nn::Sequential model(td::nn::Dense(16, {.activation = td::Relu, .input_shape = {4}}), td::nn::Dense(3));
  const td::Tensor images = {{1., 2., 3., 4.}, {0., -1., 0.5, 2.}};
  const td::Tensor eager = model(images);

  td::Graph graph;
  td::Tensors grads;
  {
    td::GraphScope scope(graph);
    td::Tensor x = td::Placeholder(td::kFloat32, {-1, 4}, "x");
    td::Tensor y = td::Identity(model(x), "logits");                // the same model, the same variables
    grads = td::Gradients(y, model.variables());                    // static differentiation, the same gradient definitions
  }
  td::Session session(graph);                                       // optimises with its default level
  const td::Tensor logits = session.Run({{"x:0", images}}, "logits:0");
  std::cout << "logits " << logits.shape().ToString() << ", as eagerly: " << (bool(td::All(logits == eager)) ? "yes" : "no") << '\n';

  // Gradients are nodes like others; the tape's are the same bits.
  td::GradientTape tape;
  const td::Tensors taped = tape.Gradient(model(images), model.variables());
  for (size_t i = 0; i < grads.size(); ++i) {
    const td::Tensor g = session.Run({{"x", images}}, grads[i]);
    std::cout << "gradient " << i << ' ' << g.shape().ToString() << ", as the tape's: " << (bool(td::All(g == taped[i])) ? "yes" : "no") << '\n';
  }

  // What the variables hold now becomes part of the file.
  graph.Freeze().Save("model.pb");
  td::Session loaded(td::Graph::Load("model.pb"));
  std::cout << "from the file: " << (bool(td::All(loaded.Run({{"x", images}}, "logits") == eager)) ? "the same" : "different") << '\n';
}
