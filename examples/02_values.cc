// Values: printing, broadcasting, operators, the elements as C++ sees them, NumPy's indexing, errors.
#include <iostream>
#include <span>

#include "tandem.h"

namespace td = tandem;

int main() {
  td::Tensor a = {{1, 2}, {3, 4}};
  std::cout << a << '\n';

  td::Tensor b = a + 1;  // broadcasting: a scalar takes the dtype of the tensor it meets
  std::cout << b << '\n';
  std::cout << a * b << '\n';

  std::span<const int32_t> host = a.data<int32_t>();  // the elements themselves, no copy
  std::cout << host[0] + host[3] << '\n';

  std::cout << a[0].ToString() << ' ' << a.Index({td::Ellipsis, td::Slice(0, 1)}).ToString() << '\n';
  td::Tensor mask = a > 2;
  std::cout << a.Index({mask}).ToString() << '\n';

  try {
    td::MatMul(a, td::Tensor({{1, 2, 3}}));
  } catch (const td::Error& error) {  // errors say what was wrong with what
    std::cout << error.what() << '\n';
  }
}
