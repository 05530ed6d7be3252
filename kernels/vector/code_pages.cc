#include "kernels/vector/code_pages.h"

#include <sys/mman.h>

#include <cstring>

namespace tandem::vec {

CodePages::CodePages(std::span<const uint8_t> code) {
  constexpr int64_t kPage = 4096;
  const int64_t size = static_cast<int64_t>(code.size()), mapped = (size + kPage - 1) / kPage * kPage;
  if (size == 0) return;
  void* memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  std::memcpy(memory, code.data(), code.size());
  if (mprotect(memory, mapped, PROT_READ | PROT_EXEC) != 0) {
    munmap(memory, mapped);
    return;
  }
  data_ = memory;
  size_ = size;
  mapped_ = mapped;
}

CodePages::~CodePages() {
  if (data_ != nullptr) munmap(data_, mapped_);
}

}  // namespace tandem::vec
