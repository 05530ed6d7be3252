// Objects behind resource tensors: counted, polymorphic. A handle is a tensor that holds a reference.
#pragma once
#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/export.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

class ResourceBase {
 public:
  ResourceBase() = default;
  ResourceBase(const ResourceBase&) = delete;
  ResourceBase& operator=(const ResourceBase&) = delete;
  virtual ~ResourceBase() = default;
  // "variable", "graph", …: what an error calls it.
  virtual std::string_view kind() const = 0;

  void Ref() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  int32_t refs() const { return refs_.load(std::memory_order_acquire); }

 private:
  mutable std::atomic<int32_t> refs_ = 1;
};

// A counted pointer to a ResourceBase.
template <class T>
class RefPtr {
 public:
  RefPtr() = default;
  explicit RefPtr(T* adopted) : p_(adopted) {}  // takes over the caller's reference
  static RefPtr Share(T* p) {
    if (p) p->Ref();
    return RefPtr(p);
  }
  RefPtr(const RefPtr& o) : p_(o.p_) {
    if (p_) p_->Ref();
  }
  RefPtr(RefPtr&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  RefPtr& operator=(RefPtr o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~RefPtr() {
    if (p_) p_->Unref();
  }
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  T* release() { return std::exchange(p_, nullptr); }

 private:
  T* p_ = nullptr;
};

}  // namespace tandem
TANDEM_EXPORT_END
