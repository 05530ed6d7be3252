// The shortest program: values, an operation, printing. Nothing to switch on: eager is the default.
#include <iostream>

#include "tandem.h"

namespace td = tandem;

int main() {
  std::cout << std::boolalpha << "executing eagerly: " << td::ExecutingEagerly() << '\n';

  td::Tensor x = {{2.}};
  td::Tensor m = td::MatMul(x, x);
  std::cout << "hello, " << m.ToString() << '\n';

  td::Tensor a = {{1, 2}, {3, 4}};
  td::Tensor b = a + 1;                        // a scalar takes the dtype of the tensor it meets
  std::cout << a << '\n' << (a * b).ToString() << '\n';

  try {
    td::MatMul(td::Tensor({{1., 2., 3.}}), x);
  } catch (const td::Error& error) {           // errors say what was wrong with what
    std::cout << error.what() << '\n';
  }
}
