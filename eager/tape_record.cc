#include "eager/tape_record.h"

#include <cstring>
#include <new>

namespace tandem {
namespace {

constexpr size_t kChunkBytes = 16 << 10;

}  // namespace

void* TapeArena::AllocateSlow(size_t bytes) {
  const unsigned size_class = SizeClass(std::max(bytes + sizeof(Chunk), kChunkBytes));
  void* block = size_class == kNoSizeClass ? nullptr : AllocateBlock(size_class);
  if (!block) return nullptr;
  chunk_ = new (block) Chunk{chunk_, size_class};
  char* begin = static_cast<char*>(block) + sizeof(Chunk);
  end_ = static_cast<char*>(block) + BlockBytes(size_class);
  next_ = begin + bytes;
  return begin;
}

AttrRef* TapeArena::Copy(std::span<const AttrRef> attrs) {
  auto* out = static_cast<AttrRef*>(Allocate(attrs.size() * sizeof(AttrRef)));
  for (size_t i = 0; out && i < attrs.size(); ++i) new (out + i) AttrRef(Keep(attrs[i]));
  return out;
}

AttrRef TapeArena::Keep(const AttrRef& attr) {
  switch (attr.kind()) {
    case AttrKind::kNone:
    case AttrKind::kInt:
    case AttrKind::kFloat:
    case AttrKind::kBool:
    case AttrKind::kType:
      return attr;
    case AttrKind::kIntList: {
      const auto list = attr.get<std::span<const int64_t>>();
      if (auto* copy = static_cast<int64_t*>(Allocate(list.size_bytes()))) {
        std::copy(list.begin(), list.end(), copy);
        return AttrRef(std::span<const int64_t>(copy, list.size()));
      }
      break;
    }
    case AttrKind::kString: {
      const auto text = attr.get<std::string_view>();
      if (auto* copy = static_cast<char*>(Allocate(text.size()))) {
        std::copy(text.begin(), text.end(), copy);
        return AttrRef(std::string_view(copy, text.size()));
      }
      break;
    }
    default: break;
  }
  if (!owned_attrs_) owned_attrs_ = new std::deque<AttrValue>;
  return owned_attrs_->emplace_back(attr).ref();
}

void TapeArena::Clear() {
  delete std::exchange(owned_attrs_, nullptr);
  while (chunk_) {
    Chunk* chunk = std::exchange(chunk_, chunk_->previous);
    FreeBlock(chunk, chunk->size_class);
  }
  next_ = end_ = nullptr;
}

}  // namespace tandem
