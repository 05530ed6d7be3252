// What a Tensor points to: one 64-byte header, with small or owned data right behind it in the same pooled block.
// Internal: users see tensor.h. Kernels and the executor work on these directly.
#pragma once
#include <atomic>
#include <cstdint>
#include <span>

#include "core/allocator.h"
#include "core/dtype.h"
#include "core/export.h"
#include "core/shape.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

class ResourceBase;
struct DeviceBlock;
struct TensorRep;

enum class Storage : uint8_t {
  kOwned,     // the data lies in this block
  kView,      // the data lies in owner's block (never itself a view), which this rep holds a reference to
  kExternal,  // owner is an ExternalData, released with the rep
  kArena,     // the data belongs to an executor frame: such a rep never leaves its Run
  // From here on the host cannot read `data`: one comparison (on_host) tells.
  kSymbolic,  // no data: the value of a graph node's output (SymbolicData lies behind the header)
  kDevice,    // the data lies in a device's memory, in a block of which this rep holds a reference (core/device_memory.h)
};

// Memory that came from elsewhere (DLPack, a mapped file): `release` is called once, with `context`.
struct ExternalData {
  void (*release)(void* context);
  void* context;
};

// Which node output a symbolic tensor names. The graph outlives its tensors' use: every use checks `graph` through the
// reference the rep holds.
struct SymbolicData {
  ResourceBase* graph;  // counted
  int32_t node;
  int32_t output;
};

inline constexpr uint8_t kUnknownRank = 255;

// The tape mark of a trainable variable's handle, by which tapes watch it when it is first read; serial 0 is no tape's.
inline constexpr uint64_t kTrainableMark = 1;

struct alignas(64) TensorRep {
  std::atomic<int32_t> refs;
  DType dtype;
  uint8_t rank;  // kUnknownRank in symbolic reps alone
  Storage storage;
  uint8_t size_class;  // of the block that starts with this header
  int64_t count;       // elements; -1 when a dimension is unknown
  void* data;          // never null but in symbolic reps: without elements, an aligned sentinel
  union {
    TensorRep* owner;  // kView
    ExternalData* external;
    DeviceBlock* block;  // kDevice
  };
  uint64_t tape_mark;  // tape serial << 32 | value: see eager/tape_context.h. 0 = on no tape
  union {
    int64_t inline_dims[3];
    int64_t* far_dims;  // rank > 3: right behind the header
  };

  int64_t* dims() { return rank <= 3 ? inline_dims : far_dims; }
  const int64_t* dims() const { return rank <= 3 ? inline_dims : far_dims; }
  std::span<const int64_t> dims_span() const { return {dims(), rank == kUnknownRank ? size_t{0} : rank}; }
  Shape shape() const { return rank == kUnknownRank ? Shape::Unknown() : Shape(dims_span()); }
  bool symbolic() const { return storage == Storage::kSymbolic; }
  // Whether the elements are there and the host may read them.
  bool on_host() const { return storage < Storage::kSymbolic; }
  int64_t bytes() const { return count * static_cast<int64_t>(DTypeSize(dtype)); }
  template <class T>
  T* as() {
    return static_cast<T*>(data);
  }
  template <class T>
  const T* as() const {
    return static_cast<const T*>(data);
  }
  SymbolicData& symbol() { return *reinterpret_cast<SymbolicData*>(this + 1); }
  const SymbolicData& symbol() const { return *reinterpret_cast<const SymbolicData*>(this + 1); }
  bool SameShape(const TensorRep& other) const;
};
static_assert(sizeof(TensorRep) == 64);

// The data of string tensors is std::string[count], of resource tensors ResourceBase*[count] (counted), of variant
// tensors Variant[count] (core/variant.h); they are constructed and destroyed with the rep.

// A rep with one reference and uninitialised elements (empty strings, null resources). Null when the memory cannot be
// had or count * element size exceeds 2^63 - 1; CheckedNumElements(dims) must have succeeded.
[[nodiscard]] TensorRep* NewRep(DType dtype, std::span<const int64_t> dims, int64_t count);
// Of the same dtype and shape as `like`, which has data and rank <= 3 or any.
[[nodiscard]] TensorRep* NewRepLike(const TensorRep& like, DType dtype);
// The elements of `base` under another shape with the same number of elements, or a part of them: data lies inside
// base's elements. Null when the header cannot be had.
[[nodiscard]] TensorRep* NewView(TensorRep& base, DType dtype, std::span<const int64_t> dims, int64_t count, void* data);
[[nodiscard]] TensorRep* NewExternal(DType dtype, std::span<const int64_t> dims, int64_t count, void* data,
                                     ExternalData* external);
// Over a part of a device's block, whose reference it takes over.
[[nodiscard]] TensorRep* NewDeviceHeader(DType dtype, std::span<const int64_t> dims, int64_t count, void* data, DeviceBlock* block);
[[nodiscard]] TensorRep* NewSymbolic(DType dtype, const Shape& shape, SymbolicData symbol);

// Where the data of empty tensors points: readable, 64-byte aligned, never written.
void* EmptySentinel();

void DestroyRep(TensorRep* rep);

inline void Ref(TensorRep* rep) { rep->refs.fetch_add(1, std::memory_order_relaxed); }
inline void Unref(TensorRep* rep) {
  // One owner and no other thread can add one: the decrement needs no locked instruction.
  if (rep->refs.load(std::memory_order_acquire) == 1 || rep->refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
    DestroyRep(rep);
}
// Whether whoever holds `rep` with its one reference may write its elements: it owns all of them alone.
inline bool IsSoleOwner(const TensorRep& rep) {
  if (rep.refs.load(std::memory_order_acquire) != 1) return false;
  if (rep.storage == Storage::kOwned) return true;
  return rep.storage == Storage::kView && rep.owner->refs.load(std::memory_order_acquire) == 1 &&
         rep.owner->storage == Storage::kOwned && rep.count == rep.owner->count && rep.dtype == rep.owner->dtype;
}

inline bool TensorRep::SameShape(const TensorRep& other) const {
  if (rank != other.rank) return false;
  const int64_t *a = dims(), *b = other.dims();
  for (int i = 0; i < rank; ++i)
    if (a[i] != b[i]) return false;
  return true;
}

}  // namespace tandem
TANDEM_EXPORT_END
