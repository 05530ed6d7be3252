// The shortest program. Nothing to switch on: eager execution is the default, an operation computes when it is called.
#include <iostream>

#include "tandem.h"

namespace td = tandem;

int main() {
  std::cout << std::boolalpha << td::ExecutingEagerly() << '\n';

  td::Tensor x = {{2.}};
  td::Tensor m = td::MatMul(x, x);
  std::cout << "hello, " << m.ToString() << '\n';
}
