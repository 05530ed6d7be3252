// Elements out of files, one file after the other.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/byte_source.h"
#include "eager/data/node.h"

namespace tandem::data::internal {

// "", "GZIP", "ZLIB". INVALID_ARGUMENT for anything else.
Compression ParseCompression(std::string_view stage, const std::string& text);

// Reader: `static absl::StatusOr<std::unique_ptr<Reader>> Open(const std::string& path)` is what open() calls;
// `absl::StatusOr<bool> Next(Tensors& out)` gives an element or the end. INVALID_ARGUMENT is about one
// element and the reader goes on behind it; after any other error the next file is read.
template <class Reader>
class FileIterator : public ElementIterator {
 public:
  using Open = std::function<absl::StatusOr<std::unique_ptr<Reader>>(const std::string& path)>;
  FileIterator(std::string_view stage, const std::vector<std::string>& paths, Open open) : stage_(stage), paths_(paths), open_(std::move(open)) {}

  bool Next(Tensors& out) override {
    while (reader_ || next_path_ < paths_.size()) {
      if (!reader_) reader_ = OrThrow(open_(paths_[next_path_++]));
      auto more = reader_->Next(out);
      if (more.ok() && *more) {
        ++next_;
        return true;
      }
      if (more.status().code() != absl::StatusCode::kInvalidArgument) reader_.reset();
      OrThrow(std::move(more));
    }
    return false;
  }

 private:
  template <class T>
  T OrThrow(absl::StatusOr<T> value) {
    if (value.ok()) return *std::move(value);
    const absl::Status& status = value.status();
    ThrowError(absl::Status(status.code(), absl::StrCat(Absl(stage_), ": element ", next_++, ": ", status.message())));
  }

  const std::string_view stage_;
  const std::vector<std::string>& paths_;
  const Open open_;
  std::unique_ptr<Reader> reader_;
  size_t next_path_ = 0;
  int64_t next_ = 0;
};

// Puts a string scalar into out.
void StoreString(Tensors& out, std::string&& text);

}  // namespace tandem::data::internal
