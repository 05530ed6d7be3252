// Images as a kernel wants them: channels last, elements of type C. What already is so is used in place.
//
//   ChannelsLast<float> image;
//   RETURN_IF_ERROR(image.Load<Half>(op, rep, batch, channels, pixels, channels_first));
//   image.data() …                                           // [batch, pixels, channels]
//   ChannelsLast<float> result;
//   RETURN_IF_ERROR(result.Prepare<Half>(…)); … result.data()[i] = …; RETURN_IF_ERROR(result.Store<Half>(…));
#pragma once
#include <type_traits>

#include "core/parallel.h"
#include "core/tensor_rep.h"
#include "kernels/cpu/scratch.h"

namespace tandem {

// [batch,channels,pixels] to [batch,pixels,channels], and with the last two numbers swapped the way back.
template <class T>
void SwapChannels(int64_t batch, int64_t channels, int64_t pixels, const T* from, T* to) {
  ParallelFor(batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t n = begin; n < end; ++n)
      for (int64_t p = 0; p < pixels; ++p)
        for (int64_t c = 0; c < channels; ++c) to[(n * pixels + p) * channels + c] = from[(n * channels + c) * pixels + p];
  });
}

template <class C>
class ChannelsLast {
 public:
  C* data() const { return data_; }

  // Room for the image of `rep`: the rep itself where it is right already.
  template <class T>
  absl::Status Prepare(std::string_view op, const TensorRep& rep, bool channels_first) {
    data_ = static_cast<C*>(rep.data);
    if (std::is_same_v<T, C> && !channels_first) return absl::OkStatus();
    RETURN_IF_ERROR(scratch_.Reserve(op, rep.count));
    data_ = scratch_.data();
    return absl::OkStatus();
  }
  template <class T>
  absl::Status Load(std::string_view op, const TensorRep& rep, int64_t batch, int64_t channels, int64_t pixels, bool channels_first) {
    RETURN_IF_ERROR(Prepare<T>(op, rep, channels_first));
    if (data_ == rep.data) return absl::OkStatus();
    if constexpr (std::is_same_v<T, C>) {
      SwapChannels(batch, channels, pixels, rep.as<T>(), data_);
      return absl::OkStatus();
    } else {
      Scratch<C> wide;
      if (channels_first) RETURN_IF_ERROR(wide.Reserve(op, rep.count));
      C* to = channels_first ? wide.data() : data_;
      for (int64_t i = 0; i < rep.count; ++i) to[i] = static_cast<C>(rep.as<T>()[i]);
      if (channels_first) SwapChannels(batch, channels, pixels, to, data_);
      return absl::OkStatus();
    }
  }
  // Writes what was computed in data() to `rep`, which Prepare got.
  template <class T>
  absl::Status Store(std::string_view op, TensorRep& rep, int64_t batch, int64_t channels, int64_t pixels, bool channels_first) {
    if (data_ == rep.data) return absl::OkStatus();
    if constexpr (std::is_same_v<T, C>) {
      SwapChannels(batch, pixels, channels, data_, rep.as<T>());
      return absl::OkStatus();
    } else {
      Scratch<C> swapped;
      const C* from = data_;
      if (channels_first) {
        RETURN_IF_ERROR(swapped.Reserve(op, rep.count));
        SwapChannels(batch, pixels, channels, data_, swapped.data());
        from = swapped.data();
      }
      for (int64_t i = 0; i < rep.count; ++i) rep.as<T>()[i] = T(from[i]);
      return absl::OkStatus();
    }
  }

 private:
  C* data_ = nullptr;
  Scratch<C> scratch_;
};

}  // namespace tandem
