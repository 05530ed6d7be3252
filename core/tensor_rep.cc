#include "core/tensor_rep.h"

#include <cstring>
#include <new>
#include <string>

#include "core/device_memory.h"
#include "core/resource.h"
#include "core/variant.h"

namespace tandem {
namespace {

alignas(64) constexpr char kSentinel[64] = {};

size_t ElementBytes(DType dtype) {
  if (dtype == kString) return sizeof(std::string);
  if (dtype == kResource) return sizeof(ResourceBase*);
  if (dtype == kVariant) return sizeof(Variant);
  return DTypeSize(dtype);
}

// A block for a header, the dims that do not fit into it, and `bytes` of data; header fields set but data and dims.
TensorRep* NewBlock(DType dtype, int rank, size_t bytes, Storage storage, char** behind) {
  const size_t far = rank > 3 && rank != kUnknownRank ? (rank * sizeof(int64_t) + 63) & ~size_t{63} : 0;
  const unsigned size_class = SizeClass(sizeof(TensorRep) + far + bytes);
  void* block = size_class == kNoSizeClass ? nullptr : AllocateBlock(size_class);
  if (!block) [[unlikely]] return nullptr;
  auto* rep = new (block) TensorRep;
  rep->refs.store(1, std::memory_order_relaxed);
  rep->dtype = dtype;
  rep->rank = static_cast<uint8_t>(rank);
  rep->storage = storage;
  rep->size_class = static_cast<uint8_t>(size_class);
  rep->owner = nullptr;
  rep->tape_mark = 0;
  char* end = static_cast<char*>(block) + sizeof(TensorRep);
  if (far) rep->far_dims = reinterpret_cast<int64_t*>(end);
  *behind = end + far;
  return rep;
}

void CopyDims(TensorRep& rep, std::span<const int64_t> dims) {
  int64_t* to = rep.dims();
  for (size_t i = 0; i < dims.size(); ++i) to[i] = dims[i];
}

template <class T>
void Construct(TensorRep& rep) {
  for (int64_t i = 0; i < rep.count; ++i) new (rep.as<T>() + i) T();
}
template <class T>
void Destroy(TensorRep& rep) {
  for (int64_t i = 0; i < rep.count; ++i) rep.as<T>()[i].~T();
}

}  // namespace

void* EmptySentinel() { return const_cast<char*>(kSentinel); }

TensorRep* NewRep(DType dtype, std::span<const int64_t> dims, int64_t count) {
  int64_t bytes;
  if (__builtin_mul_overflow(count, static_cast<int64_t>(ElementBytes(dtype)), &bytes)) [[unlikely]] return nullptr;
  char* data;
  TensorRep* rep = NewBlock(dtype, static_cast<int>(dims.size()), static_cast<size_t>(bytes), Storage::kOwned, &data);
  if (!rep) [[unlikely]] return nullptr;
  rep->count = count;
  rep->data = count ? data : EmptySentinel();
  CopyDims(*rep, dims);
  if (DTypeSize(dtype) == 0) [[unlikely]] {
    if (dtype == kString) Construct<std::string>(*rep);
    else if (dtype == kVariant) Construct<Variant>(*rep);
    else if (dtype == kResource && count) std::memset(data, 0, static_cast<size_t>(bytes));
  }
  return rep;
}

TensorRep* NewRepLike(const TensorRep& like, DType dtype) { return NewRep(dtype, like.dims_span(), like.count); }

TensorRep* NewView(TensorRep& base, DType dtype, std::span<const int64_t> dims, int64_t count, void* data) {
  if (base.storage == Storage::kDevice) [[unlikely]] {
    base.block->Ref();
    TensorRep* rep = NewDeviceHeader(dtype, dims, count, data, base.block);
    if (!rep) base.block->Unref();
    return rep;
  }
  char* behind;
  TensorRep* rep = NewBlock(dtype, static_cast<int>(dims.size()), 0, Storage::kView, &behind);
  if (!rep) return nullptr;
  TensorRep* owner = base.storage == Storage::kView ? base.owner : &base;
  Ref(owner);
  rep->owner = owner;
  rep->count = count;
  rep->data = count ? data : EmptySentinel();
  CopyDims(*rep, dims);
  return rep;
}

TensorRep* NewExternal(DType dtype, std::span<const int64_t> dims, int64_t count, void* data, ExternalData* external) {
  char* behind;
  TensorRep* rep = NewBlock(dtype, static_cast<int>(dims.size()), 0, Storage::kExternal, &behind);
  if (!rep) return nullptr;
  rep->external = external;
  rep->count = count;
  rep->data = count ? data : EmptySentinel();
  CopyDims(*rep, dims);
  return rep;
}

TensorRep* NewDeviceHeader(DType dtype, std::span<const int64_t> dims, int64_t count, void* data, DeviceBlock* block) {
  char* behind;
  TensorRep* rep = NewBlock(dtype, static_cast<int>(dims.size()), 0, Storage::kDevice, &behind);
  if (!rep) return nullptr;
  rep->block = block;
  rep->count = count;
  rep->data = data;
  CopyDims(*rep, dims);
  return rep;
}

TensorRep* NewSymbolic(DType dtype, const Shape& shape, SymbolicData symbol) {
  // The symbol lies right behind the header, so dims beyond three come after it.
  const int rank = shape.rank();
  const size_t far = rank > 3 ? rank * sizeof(int64_t) : 0;
  char* behind;
  TensorRep* rep = NewBlock(dtype, kUnknownRank, sizeof(SymbolicData) + far, Storage::kSymbolic, &behind);
  if (!rep) return nullptr;
  rep->data = nullptr;
  rep->count = shape.num_elements().value_or(-1);
  if (rank >= 0) {
    rep->rank = static_cast<uint8_t>(rank);
    if (far) rep->far_dims = reinterpret_cast<int64_t*>(behind + sizeof(SymbolicData));
    CopyDims(*rep, shape.dims());
  }
  rep->symbol() = symbol;
  if (symbol.graph) symbol.graph->Ref();
  return rep;
}

void DestroyRep(TensorRep* rep) {
  switch (rep->storage) {
    case Storage::kOwned:
      if (DTypeSize(rep->dtype) == 0) [[unlikely]] {
        if (rep->dtype == kString) Destroy<std::string>(*rep);
        else if (rep->dtype == kVariant) Destroy<Variant>(*rep);
        else if (rep->dtype == kResource)
          for (int64_t i = 0; i < rep->count; ++i)
            if (ResourceBase* r = rep->as<ResourceBase*>()[i]) r->Unref();
      }
      break;
    case Storage::kView:
      Unref(rep->owner);
      break;
    case Storage::kExternal:
      rep->external->release(rep->external->context);
      delete rep->external;
      break;
    case Storage::kSymbolic:
      if (rep->symbol().graph) rep->symbol().graph->Unref();
      break;
    case Storage::kDevice:
      rep->block->Unref();
      break;
    case Storage::kArena:
      return;  // the frame's memory
  }
  FreeBlock(rep, rep->size_class);
}

}  // namespace tandem
