// Control flow is the language's own: a tensor with a value converts in a condition.
#include <iostream>

#include "tandem.h"

namespace td = tandem;

td::Tensor FizzBuzz(td::Tensor max_num) {
  td::Tensor counter = 0;
  for (int i = 0, n = max_num.item<int>(); i < n; ++i) {
    td::Tensor num = i + 1;
    if (num % 3 == 0 && num % 5 == 0) std::cout << "FizzBuzz\n";
    else if (num % 3 == 0) std::cout << "Fizz\n";
    else if (num % 5 == 0) std::cout << "Buzz\n";
    else std::cout << num.ToString() << '\n';
    counter += 1;  // counter names a new tensor now; the old one is untouched
  }
  return counter;
}

int main() {
  td::Tensor counted = FizzBuzz(15);
  std::cout << "counted " << counted.ToString() << '\n';

  // Recorded into a graph, a tensor has no value to decide by.
  td::Graph graph;
  td::GraphScope scope(graph);
  try {
    FizzBuzz(td::Placeholder(td::kInt32, td::Shape{}, "max_num"));
  } catch (const td::Error& error) {
    std::cout << error.what() << '\n';
  }
}
