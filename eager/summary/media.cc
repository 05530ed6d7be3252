#include "eager/summary/media.h"

#include <algorithm>
#include <cmath>

#include "core/device_memory.h"
#include "eager/summary/destination.h"
#include "eager/summary/png.h"
#include "proto/event.pb.h"

namespace tandem::summary {
namespace {

std::string NumberedTag(std::string_view tag, const char* kind, int64_t i, int64_t n) {
  return n == 1 ? absl::StrCat(Absl(tag), "/", kind) : absl::StrCat(Absl(tag), "/", kind, "/", i);
}

int64_t Shown(const char* who, int64_t n, int max_outputs) {
  if (max_outputs < 1) ThrowError(InvalidArgument(who, ": max_outputs is ", max_outputs, ", must be at least 1"));
  return std::min<int64_t>(n, max_outputs);
}

// A number of the file's own byte order, which is little-endian.
void AppendInt(std::string& out, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

// RIFF WAVE, PCM of 16 bits (the multimedia data standards of IBM and Microsoft, 1991).
std::string EncodeWav(const float* samples, int64_t frames, int64_t channels, int sample_rate) {
  const auto bytes = static_cast<uint32_t>(frames * channels * 2);
  std::string out = "RIFF";
  AppendInt(out, 36 + bytes, 4);
  out += "WAVEfmt ";
  AppendInt(out, 16, 4);
  AppendInt(out, 1, 2);  // PCM
  AppendInt(out, static_cast<uint32_t>(channels), 2);
  AppendInt(out, static_cast<uint32_t>(sample_rate), 4);
  AppendInt(out, static_cast<uint32_t>(sample_rate * channels * 2), 4);
  AppendInt(out, static_cast<uint32_t>(channels * 2), 2);
  AppendInt(out, 16, 2);
  out += "data";
  AppendInt(out, bytes, 4);
  for (int64_t i = 0; i < frames * channels; ++i) {
    const float clipped = std::isnan(samples[i]) ? 0 : std::clamp(samples[i], -1.f, 1.f);
    AppendInt(out, static_cast<uint32_t>(static_cast<int32_t>(std::lround(clipped * 32767))), 2);
  }
  return out;
}

}  // namespace

void Image(std::string_view tag, const Tensor& images, MediaOptions options) {
  const Destination to = FindDestination(options.step);
  if (!to) return;
  const Shape shape = images.shape();
  const bool bytes = images.dtype() == kUint8;
  if (shape.rank() != 4 || shape[3] < 1 || shape[3] > 4 || shape[1] < 1 || shape[2] < 1 || (!bytes && images.dtype() != kFloat32 && images.dtype() != kFloat64 && images.dtype() != kFloat16))
    ThrowError(InvalidArgument("Image: \"", Absl(tag), "\" is ", Absl(DTypeName(images.dtype())), shape.ToString(),
                               ", uint8 or floats of [n, height, width, 1 to 4] are wanted"));
  const int64_t n = Shown("Image", shape[0], options.max_outputs), size = shape[1] * shape[2] * shape[3];
  std::vector<uint8_t> pixels;
  const Tensor host = OnHost(images);
  if (!bytes) {
    const std::vector<float> values = host.ToVector<float>();
    for (int64_t i = 0; i < n * size; ++i)
      pixels.push_back(std::isnan(values[i]) ? 0 : static_cast<uint8_t>(std::clamp(values[i], 0.f, 1.f) * 255.f + 0.5f));
  }
  const uint8_t* first = bytes ? host.data<uint8_t>().data() : pixels.data();
  proto::Event event;
  event.set_step(to.step);
  for (int64_t i = 0; i < n; ++i) {
    auto* value = event.mutable_summary()->add_value();
    value->set_tag(NumberedTag(tag, "image", i, n));
    auto* image = value->mutable_image();
    image->set_height(static_cast<int32_t>(shape[1]));
    image->set_width(static_cast<int32_t>(shape[2]));
    image->set_colorspace(static_cast<int32_t>(shape[3]));
    image->set_encoded_image_string(ValueOrThrow(EncodePng(first + i * size, static_cast<uint32_t>(shape[2]), static_cast<uint32_t>(shape[1]), static_cast<int>(shape[3]))));
  }
  ThrowIfError(to.queue->Push(event));
}

void Audio(std::string_view tag, const Tensor& audio, int sample_rate, MediaOptions options) {
  const Destination to = FindDestination(options.step);
  if (!to) return;
  const Shape shape = audio.shape();
  if (audio.dtype() != kFloat32 || shape.rank() != 3 || shape[2] < 1 || shape[2] > 255)
    ThrowError(InvalidArgument("Audio: \"", Absl(tag), "\" is ", Absl(DTypeName(audio.dtype())), shape.ToString(),
                               ", float32 of [n, frames, 1 to 255] is wanted"));
  if (sample_rate < 1) ThrowError(InvalidArgument("Audio: \"", Absl(tag), "\": sample_rate is ", sample_rate, ", must be at least 1"));
  if (shape[1] * shape[2] > (int64_t{1} << 30)) ThrowError(InvalidArgument("Audio: \"", Absl(tag), "\" is longer than a WAV file can be"));
  const int64_t n = Shown("Audio", shape[0], options.max_outputs);
  const Tensor host = OnHost(audio);
  proto::Event event;
  event.set_step(to.step);
  for (int64_t i = 0; i < n; ++i) {
    auto* value = event.mutable_summary()->add_value();
    value->set_tag(NumberedTag(tag, "audio", i, n));
    auto* sound = value->mutable_audio();
    sound->set_sample_rate(static_cast<float>(sample_rate));
    sound->set_num_channels(shape[2]);
    sound->set_length_frames(shape[1]);
    sound->set_encoded_audio_string(EncodeWav(host.data<float>().data() + i * shape[1] * shape[2], shape[1], shape[2], sample_rate));
    sound->set_content_type("audio/wav");
  }
  ThrowIfError(to.queue->Push(event));
}

}  // namespace tandem::summary
