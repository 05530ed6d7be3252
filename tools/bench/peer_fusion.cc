#include "tandem.h"
#include "tools/bench/peers.h"

namespace tandem::bench {
namespace {

using Function = std::function<Tensor(const Tensors&)>;

struct Form {
  std::string row;
  Function function;
  Tensors arguments;
};

std::vector<Form> Forms(const std::string& tag, int64_t n) {
  const Tensor x = RandomNormal({n}, {.seed = 1}), y = RandomNormal({n}, {.seed = 2}), z = RandomNormal({n}, {.seed = 3});
  const Tensor rows = Reshape(x, {-1, 256}), weight = Ones({256}), bias = Zeros({256});
  const auto mean = [](const Tensor& t) { return Mean(t, Tensor({1}), {.keep_dims = true}); };
  return {
      {"chain8 " + tag,
       [](const Tensors& in) {
         Tensor t = in[0];
         for (int i = 0; i < 4; ++i) t = t * 1.01 + 0.5;
         return t;
       },
       {x}},
      {"gelu-tanh " + tag,
       [](const Tensors& in) {
         const Tensor& t = in[0];
         return 0.5 * t * (1.0 + Tanh(0.7978845608 * (t + 0.044715 * t * t * t)));
       },
       {x}},
      {"sigmoid-mul-add " + tag, [](const Tensors& in) { return Sigmoid(in[0]) * in[1] + in[2]; }, {x, y, z}},
      {"layernorm[.,256] " + tag,
       [mean](const Tensors& in) {
         const Tensor d = in[0] - mean(in[0]);
         return d * Rsqrt(mean(d * d) + 1e-5) * in[1] + in[2];
       },
       {rows, weight, bias}},
      {"softmax[.,256] " + tag, [](const Tensors& in) { return Softmax(in[0]); }, {rows}},
  };
}

}  // namespace

PeerItem FusionPeer() {
  return {"4", "chains of elementwise ops on many floats", "us", [] {
            std::vector<PeerRow> rows;
            for (const auto& [tag, n] : {std::pair{"1M", int64_t{1} << 20}, std::pair{"16M", int64_t{1} << 24}})
              for (const Form& form : Forms(tag, n)) {
                std::vector<TensorSpec> signature;
                for (const Tensor& t : form.arguments) signature.push_back({t.dtype(), t.shape()});
                const auto captured = CaptureTensors([&](const Tensors& in) { return Tensors{form.function(in)}; }, signature);
                rows.push_back({form.row, "captured", 1, [=] { Tensors y = captured.Call(form.arguments); }});
                rows.push_back({form.row, "eager, op by op", 1, [=] { Tensor y = form.function(form.arguments); }});
              }
            return rows;
          }};
}

}  // namespace tandem::bench
