// DLPack's C structs (dlpack.h 0.8, the form that frameworks exchange), declared here so that nothing needs that header:
// the same layout, in a namespace of their own. A pointer to one is a DLManagedTensor* by reinterpret_cast.
#pragma once
#include <cstdint>

namespace tandem::dlpack {

enum DeviceType : int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3 };
enum TypeCode : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kOpaque = 3, kBfloat = 4, kComplex = 5, kBool = 6 };

struct Device {
  DeviceType type;
  int32_t id;
};
struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct TensorView {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: row-major and compact
  uint64_t byte_offset;
};
struct ManagedTensor {
  TensorView view;
  void* manager_ctx;
  void (*deleter)(ManagedTensor* self);
};

}  // namespace tandem::dlpack
