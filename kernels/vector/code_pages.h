// Memory that holds machine code: written, then executable, never both.
#pragma once
#include <cstdint>
#include <span>

namespace tandem::vec {

class CodePages {
 public:
  // Empty (data() null) if the system refuses executable memory.
  explicit CodePages(std::span<const uint8_t> code);
  ~CodePages();
  CodePages(const CodePages&) = delete;
  CodePages& operator=(const CodePages&) = delete;
  const void* data() const { return data_; }
  int64_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  int64_t size_ = 0, mapped_ = 0;
};

}  // namespace tandem::vec
