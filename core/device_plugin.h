/* The C interface of device plug-ins: one versioned struct of function pointers for each device. A plug-in includes this
 * header alone and links nothing of Tandem, so that there is one copy of the library's state.
 *
 *   int TandemPluginInit(const TandemHost* host) {          // exported by the shared library
 *     static const TandemKernelRow rows[] = {{"AddV2", TANDEM_ANY_DTYPE, 0, 0, RunAdd}};
 *     static const TandemDevice gpu = {TANDEM_PLUGIN_ABI, sizeof(TandemDevice), "GPU", …, rows, 1};
 *     return host->register_device(&gpu);
 *   }
 *
 * Functions return 0 or a code of core/error.h; they are called from any thread, also at once. */
#ifndef TANDEM_CORE_DEVICE_PLUGIN_H_
#define TANDEM_CORE_DEVICE_PLUGIN_H_
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TANDEM_PLUGIN_ABI 1
#define TANDEM_ANY_DTYPE (-1)

typedef struct TandemTensor {
  int32_t dtype; /* numbers of core/dtype.h's DType */
  int32_t rank;
  const int64_t* dims;
  int64_t count;
  void* data; /* in the device's memory; in the host's where the row's mask says so */
} TandemTensor;

typedef struct TandemKernelCall TandemKernelCall; /* one call; valid while the kernel runs */

/* A kernel of the device. Shapes were checked and outputs allocated; what depends on values the kernel checks. */
typedef struct TandemKernelRow {
  const char* op;        /* "MatMul"; a name that this version does not know is skipped */
  int32_t dtype;         /* of the op's kernel type attribute, or TANDEM_ANY_DTYPE */
  uint64_t host_inputs;  /* bit i: input i is wanted in the host's memory (shapes, axes) */
  uint64_t host_outputs; /* bit i: output i is written in the host's memory */
  int (*run)(void* self, void* stream, TandemKernelCall* call, const TandemTensor* inputs, int32_t num_inputs,
             const TandemTensor* outputs, int32_t num_outputs);
} TandemKernelRow;

typedef struct TandemDevice {
  int32_t abi;         /* TANDEM_PLUGIN_ABI */
  int32_t struct_size; /* sizeof(TandemDevice) of the plug-in */
  const char* type;    /* "GPU": upper case; the first of a type is number 0 */
  const char* description;
  void* self; /* handed to every function */

  /* Allocator. Null when there is no more memory; bytes > 0. A block is freed while kernels that use it may still be
   * in the stream: a device that runs them later orders the free behind them. */
  void* (*allocate)(void* self, size_t bytes);
  void (*release)(void* self, void* block, size_t bytes);

  /* Streams: calls given to one run in order. */
  int (*create_stream)(void* self, void** stream);
  void (*destroy_stream)(void* self, void* stream);
  int (*synchronize)(void* self, void* stream);

  /* Copies, in the order of the stream. What the host's memory holds is read, or written, when they return. */
  int (*copy_in)(void* self, void* stream, void* device_to, const void* host_from, size_t bytes);
  int (*copy_out)(void* self, void* stream, void* host_to, const void* device_from, size_t bytes);

  const TandemKernelRow* kernels;
  int32_t num_kernels;

  /* Text of the last failure on this thread; may be null, as may what it returns. */
  const char* (*last_error)(void* self);
} TandemDevice;

/* What a plug-in may call. */
typedef struct TandemHost {
  int32_t abi;
  int32_t struct_size;
  /* The device stays for the life of the process; *device and its rows must, too. */
  int (*register_device)(const TandemDevice* device);
  /* Attributes of a call by name. Non-zero when there is no such attribute of the kind. bool and dtype are ints. */
  int (*attr_int)(const TandemKernelCall* call, const char* name, int64_t* value);
  int (*attr_float)(const TandemKernelCall* call, const char* name, float* value);
  int (*attr_string)(const TandemKernelCall* call, const char* name, const char** text, size_t* size);
  int (*attr_ints)(const TandemKernelCall* call, const char* name, const int64_t** values, size_t* count);
  /* The text of the call's failure; returns code, to be returned. */
  int (*fail)(TandemKernelCall* call, int code, const char* message);
  /* Runs the CPU's kernel of the op on the call's tensors: for devices whose memory the host can reach, and for tests. */
  int (*run_cpu_kernel)(TandemKernelCall* call);
} TandemHost;

#ifdef __cplusplus
}
#endif
#endif /* TANDEM_CORE_DEVICE_PLUGIN_H_ */
