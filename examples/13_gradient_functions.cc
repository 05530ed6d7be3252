// Functions of gradients: what takes a function and gives its derivative can be applied to its own result.
#include <iostream>

#include "tandem.h"

namespace td = tandem;

td::Tensor Abs(td::Tensor x) { return x > 0 ? x : -x; }  // native control flow, differentiated along the branch taken

int main() {
  auto square = [](td::Tensor x) { return x * x; };
  auto grad = td::GradientsFunction(square);
  std::cout << square(3.).ToString() << ' ' << grad(3.)[0].ToString() << '\n';

  auto gradgrad = td::GradientsFunction([&](td::Tensor x) { return grad(x)[0]; });
  std::cout << gradgrad(3.)[0].ToString() << '\n';

  // The second derivative is constant: nothing is left to differentiate, and the third is undefined.
  auto gradgradgrad = td::GradientsFunction([&](td::Tensor x) { return gradgrad(x)[0]; });
  std::cout << std::boolalpha << gradgradgrad(3.)[0].defined() << '\n';

  auto abs_grad = td::GradientsFunction(Abs);
  std::cout << abs_grad(3.)[0].ToString() << ' ' << abs_grad(-3.)[0].ToString() << '\n';

  auto [value, gradients] = td::ValueAndGradientsFunction([](td::Tensor x, td::Tensor y) { return x * y * y; })(2., 3.);
  std::cout << value.ToString() << ' ' << gradients[0].ToString() << ' ' << gradients[1].ToString() << '\n';

  td::Tensor x = {1., 2.};
  auto cubes = [](td::Tensor t) { return td::Sum(t * t * t); };
  std::cout << td::Hessian(cubes, x).ToString() << '\n';
  std::cout << td::HessianVectorProduct(cubes, x, {1., 1.}).ToString() << '\n';
}
