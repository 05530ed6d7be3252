#include "tandem.h"
#include "tools/bench/peers.h"

namespace tandem::bench {

PeerItem SmallOpsPeer() {
  return {"1", "eager ops on 2x2", "ns", [] {
            const Tensor a = {{1., 2.}, {3., 4.}}, b = {{1., 1.}, {1., 1.}};
            return std::vector<PeerRow>{
                {"add 2x2", "C++", 1, [=] { Tensor c = a + b; }},
                {"mul by scalar 2x2", "C++", 1, [=] { Tensor c = a * 2.0; }},
                {"matmul 2x2", "C++", 1, [=] { Tensor c = MatMul(a, b); }},
                {"sum 2x2", "C++", 1, [=] { Tensor c = Sum(a); }},
                {"reshape 2x2->4", "C++", 1, [=] { Tensor c = Reshape(a, {4}); }},
            };
          }};
}

PeerItem TapePeer() {
  return {"9", "100 products of 2x2, forward and backward", "ns", [] {
            constexpr int kOps = 100;
            const Tensor x = Ones({2, 2}), b = Ones({2, 2});
            const auto chain = [b](Tensor y) {
              for (int i = 0; i < kOps; ++i) y = y * b;
              return y;
            };
            const auto captured = Capture(
                [chain](const Tensor& in) {
                  GradientTape tape;
                  tape.Watch(in);
                  const Tensor y = chain(in);
                  return tape.Gradient(y, in);
                },
                {{kFloat32, {2, 2}}});
            const std::string row = "100-mul chain: ";
            return std::vector<PeerRow>{
                {row + "no grad", "C++", kOps, [=] { Tensor y = chain(x); }},
                {row + "recording", "C++ GradientTape", kOps,
                 [=] {
                   GradientTape tape;
                   tape.Watch(x);
                   Tensor y = chain(x);
                 }},
                {row + "fwd+bwd", "C++ GradientTape", kOps,
                 [=] {
                   GradientTape tape;
                   tape.Watch(x);
                   const Tensor y = chain(x);
                   Tensor dx = tape.Gradient(y, x);
                 }},
                {row + "fwd+bwd", "captured", kOps, [=] { Tensor dx = captured(x); }},
            };
          }};
}

}  // namespace tandem::bench
