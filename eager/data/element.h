// What a dataset gives at a time: one to any number of tensors, bound by name.
//
//   for (auto& batch : train) {
//     auto& [images, labels] = batch;
//     …
//   }
//   for (auto& x : data::Range(5)) total += x;       // an element of one tensor is that tensor
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/export.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem::data {

template <size_t N>
struct Element : std::array<Tensor, N> {};
template <>
struct Element<1> : Tensor {
  Element() = default;
  Element(Tensor t) : Tensor(std::move(t)) {}
};

template <size_t I, size_t N>
Tensor& get(Element<N>& e) {
  static_assert(I < N);
  if constexpr (N == 1) return e;
  else return static_cast<std::array<Tensor, N>&>(e)[I];
}
template <size_t I, size_t N>
const Tensor& get(const Element<N>& e) {
  return get<I>(const_cast<Element<N>&>(e));
}
template <size_t I, size_t N>
Tensor&& get(Element<N>&& e) {
  return std::move(get<I>(e));
}

namespace internal {

// How many tensors a function's result stands for: a tensor (or what converts to one) is one, a pair, tuple, array or
// Element as many as it holds; 0 where only running it would tell (Tensors).
template <class R>
constexpr size_t ArityOf() {
  if constexpr (std::convertible_to<R, Tensor>) return 1;
  else if constexpr (requires { std::tuple_size<R>::value; }) return std::tuple_size<R>::value;
  else return 0;
}

template <class R>
void Store(R&& result, Tensors& out) {
  using V = std::remove_cvref_t<R>;
  if constexpr (std::same_as<V, Tensors>) {
    out = std::forward<R>(result);
  } else if constexpr (std::convertible_to<R, Tensor>) {
    out.resize(1);
    out[0] = std::forward<R>(result);
  } else {
    out.resize(std::tuple_size_v<V>);
    [&]<size_t... I>(std::index_sequence<I...>) {
      using std::get;
      ((out[I] = get<I>(std::forward<R>(result))), ...);
    }(std::make_index_sequence<std::tuple_size_v<V>>());
  }
}

template <size_t>
using TensorArgument = Tensor;
// Calls f with each tensor, with an Element, or with all as Tensors: whatever it takes.
template <size_t N, class F>
decltype(auto) Apply(F& f, Tensors& in) {
  return [&]<size_t... I>(std::index_sequence<I...>) -> decltype(auto) {
    if constexpr (std::invocable<F&, TensorArgument<I>...>) {
      return f(std::move(in[I])...);
    } else if constexpr (std::invocable<F&, Element<N>>) {
      Element<N> e;
      ((get<I>(e) = std::move(in[I])), ...);
      return f(std::move(e));
    } else {
      static_assert(std::invocable<F&, Tensors>, "the function takes neither the element's tensors nor an Element nor Tensors");
      return f(std::move(in));
    }
  }(std::make_index_sequence<N>());
}
template <size_t N, class F>
using ResultOf = std::remove_cvref_t<decltype(Apply<N>(std::declval<F&>(), std::declval<Tensors&>()))>;

}  // namespace internal
}  // namespace tandem::data

template <size_t N>
struct std::tuple_size<tandem::data::Element<N>> : std::integral_constant<size_t, N> {};
template <size_t I, size_t N>
struct std::tuple_element<I, tandem::data::Element<N>> {
  using type = tandem::Tensor;
};
TANDEM_EXPORT_END
