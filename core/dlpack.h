// Tensors from and to other libraries through DLPack.
//
//   DLManagedTensor* capsule = ToDLPack(x);           // shares x's buffer; the receiver calls its deleter
//   Tensor y = FromDLPack(capsule);                   // a copy; the capsule is consumed
//   Tensor z = FromDLPack(capsule, {.share = true});  // z keeps the capsule until its last user is gone
//
// A Tensor's value never changes: who receives a buffer through ToDLPack must not write to it, and who shares one with
// FromDLPack must not write while the tensor lives. core/dlpack_abi.h declares the structs for those without dlpack.h.
#pragma once
#include "core/export.h"
#include "core/tensor.h"

struct DLManagedTensor;

TANDEM_EXPORT_BEGIN
namespace tandem {

// FAILED_PRECONDITION when undefined or symbolic; INVALID_ARGUMENT for strings, resources and variants.
DLManagedTensor* ToDLPack(const Tensor& tensor);

struct FromDLPackOptions {
  bool share = false;  // do not copy: needs row-major, compact data
};
// Takes the capsule over unless it throws: UNIMPLEMENTED for memory that is not the CPU's or element types unknown here,
// INVALID_ARGUMENT for malformed shapes, for null data, for sharing what is not compact. Any strides can be copied.
Tensor FromDLPack(DLManagedTensor* capsule, FromDLPackOptions options = {});

}  // namespace tandem
TANDEM_EXPORT_END
