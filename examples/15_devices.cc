// 15. The same product 200 times, on the CPU and, where there is one, on a GPU.
#include <chrono>
#include <cstdio>
#include <iostream>

#include "tandem.h"

namespace td = tandem;

double Measure(const td::Tensor& x, int steps) {
  td::MatMul(x, x);  // the first is slow: memory, primitives, a GPU's start
  const auto begin = std::chrono::steady_clock::now();
  td::Tensor y;
  for (int i = 0; i < steps; ++i) y = td::MatMul(x, x);
  y.Cpu();  // ops of a GPU have run when their value is here
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int main() {
  const td::Shape shape = {1000, 1000};
  const int steps = 200;
  std::printf("Time to multiply a %s matrix by itself %d times:\n", shape.ToTuple().c_str(), steps);
  {
    td::DeviceScope cpu("/cpu:0");
    std::printf("CPU: %.3f s\n", Measure(td::RandomNormal({1000, 1000}), steps));
  }
  if (td::NumGpus() > 0) {
    td::DeviceScope gpu("/gpu:0");
    std::printf("GPU: %.3f s\n", Measure(td::RandomNormal({1000, 1000}), steps));
    const td::Tensor x = td::RandomNormal({10, 10}).Cpu();
    const td::Tensor x_gpu = x.Gpu();
    std::cout << x.device() << " -> " << x_gpu.device() << '\n';
  } else {
    std::puts("GPU: not found");
  }
}
