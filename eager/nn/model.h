// Model: a layer made of layers. Sequential: one after the other.
//
//   class Mnist : public nn::Model {
//    public:
//     Tensor Call(const Tensor& x) override { return dense2_(dense1_(x)); }
//    private:
//     nn::Dense& dense1_ = Track("dense1", nn::Dense(256, {.activation = Relu}));
//     nn::Dense& dense2_ = Track("dense2", nn::Dense(10));
//   };
//   nn::Sequential stack(nn::Dense(256, {.activation = Relu, .input_shape = {784}}), nn::Dropout(.5), nn::Dense(10));
//   std::cout << stack.Summary();
#pragma once
#include "core/export.h"
#include "eager/nn/layer.h"

TANDEM_EXPORT_BEGIN
namespace tandem::nn {

class Model : public Layer {
 public:
  // Layers, output shapes and numbers of parameters, as Keras prints them, 76 columns wide.
  std::string Summary() const;

 protected:
  explicit Model(LayerOptions options = {}) : Layer(std::move(options)) {}
};

template <class T>
concept LayerOrShared = std::derived_from<std::remove_cvref_t<T>, Layer> || requires(T t) {
  requires std::derived_from<typename std::remove_cvref_t<T>::element_type, Layer>;
};

class Sequential : public Model {
 public:
  // Layers move in; a shared_ptr shares one. With the input_shape of the options or of the first layer the variables
  // exist at once. Masks go from layer to layer.
  template <LayerOrShared First, LayerOrShared... Rest>
    requires(sizeof...(Rest) > 0 || !std::same_as<std::remove_cvref_t<First>, Sequential>)
  explicit Sequential(First&& first, Rest&&... rest) : Sequential(LayerOptions(), std::forward<First>(first), std::forward<Rest>(rest)...) {}
  template <LayerOrShared... Layers>
  explicit Sequential(LayerOptions options = {}, Layers&&... layers) : Model(std::move(options)) {
    (Append(Owned(std::forward<Layers>(layers))), ...);
    BuildFromInputShape();
  }
  Sequential(Sequential&&) = default;
  Sequential& operator=(Sequential&&) = default;

  // One more, behind the others. FAILED_PRECONDITION once the model was called or built.
  template <LayerOrShared L>
  void Add(L&& layer) {
    Append(Owned(std::forward<L>(layer)));
  }
  Tensor Call(const Tensor& input) override;
  Tensor ComputeMask(const Tensor& input, const Tensor& mask) override;

 private:
  template <class L>
  static auto Owned(L&& layer) {
    using T = std::remove_cvref_t<L>;
    if constexpr (std::derived_from<T, Layer>) {
      static_assert(!std::is_lvalue_reference_v<L>, "layers are not copied: std::move it, or hand over a shared_ptr");
      return std::make_shared<T>(std::move(layer));
    } else {
      return std::shared_ptr<typename T::element_type>(std::forward<L>(layer));
    }
  }
  void Append(std::shared_ptr<Layer> layer);
  void BuildFromInputShape();
};

}  // namespace tandem::nn
TANDEM_EXPORT_END
