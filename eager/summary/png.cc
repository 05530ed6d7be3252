#include "eager/summary/png.h"

#include <png.h>

#include <csetjmp>

namespace tandem::summary {
namespace {

struct Failure {
  std::string text;
};
void OnError(png_structp png, png_const_charp message) {
  static_cast<Failure*>(png_get_error_ptr(png))->text = message;
  png_longjmp(png, 1);
}
void OnWarning(png_structp, png_const_charp) {}
void Append(png_structp png, png_bytep bytes, png_size_t n) { static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<char*>(bytes), n); }
void Flush(png_structp) {}

// libpng reports errors by longjmp: nothing with a destructor may be made in here.
bool Encode(png_structp png, png_infop info, const uint8_t* pixels, uint32_t width, uint32_t height, int channels) {
  if (setjmp(png_jmpbuf(png))) return false;
  static constexpr int kTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  png_set_IHDR(png, info, width, height, 8, kTypes[channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (uint32_t y = 0; y < height; ++y) png_write_row(png, const_cast<png_bytep>(pixels + size_t{y} * width * channels));
  png_write_end(png, nullptr);
  return true;
}

}  // namespace

absl::StatusOr<std::string> EncodePng(const uint8_t* pixels, uint32_t width, uint32_t height, int channels) {
  Failure failure;
  std::string out;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &failure, OnError, OnWarning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info) {
    png_destroy_write_struct(&png, nullptr);
    return absl::ResourceExhaustedError("PNG: out of memory");
  }
  png_set_write_fn(png, &out, Append, Flush);
  const bool written = Encode(png, info, pixels, width, height, channels);
  png_destroy_write_struct(&png, &info);
  if (!written) return InvalidArgument("PNG: ", failure.text);
  return out;
}

}  // namespace tandem::summary
