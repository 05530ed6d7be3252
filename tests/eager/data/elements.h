// The elements of a dataset as text: "0 1 2", and "(0, [1 2]) (1, [3])" where they have several tensors.
#pragma once
#include <string>

#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {

template <size_t N>
std::string Text(const data::Element<N>& element) {
  std::string text = N > 1 ? "(" : "";
  [&]<size_t... I>(std::index_sequence<I...>) {
    ((text += (I == 0 ? "" : ", ") + get<I>(element).ToString()), ...);
  }(std::make_index_sequence<N>());
  return N > 1 ? text + ")" : text;
}

// An exception stands in its element's place, as "!" and its text; the walk goes on behind it.
template <size_t N>
std::string Elements(data::Iterator<N>& it, int at_most = 1000) {
  std::string text;
  for (int i = 0; i < at_most; ++i) {
    std::string one;
    try {
      const auto element = it.Next();
      if (!element) return text;
      one = Text(*element);
    } catch (const std::exception& e) {
      one = "!" + std::string(e.what());
    }
    text += (text.empty() ? "" : " ") + one;
  }
  return text + " ...";
}
template <size_t N>
std::string Elements(const data::Dataset<N>& dataset, int at_most = 1000) {
  auto it = dataset.MakeIterator();
  return Elements(it, at_most);
}

}  // namespace tandem
