#include <cmath>
#include <cstdio>
#include <memory>

#include "kernels/cpu/cpu_kernels.h"
#include "kernels/cpu/summarize.h"

namespace tandem {
namespace {

absl::Status Assert(KernelCall& call) {
  if (*call.input(0).as<bool>()) return absl::OkStatus();
  const int64_t summarize = call.attr<int64_t>("summarize");
  std::string text = "assertion failed:";
  for (size_t i = 1; i < call.inputs.size(); ++i) absl::StrAppend(&text, " [", SummarizeFlat(call.input(static_cast<int>(i)), summarize), "]");
  return call.Error(text);
}

absl::Status StringFormat(KernelCall& call) {
  const auto text = call.attr<std::string_view>("template"), placeholder = call.attr<std::string_view>("placeholder");
  std::string& out = *call.output().as<std::string>();
  out.clear();
  size_t at = 0;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const size_t next = text.find(placeholder, at);
    out += text.substr(at, next - at);
    out += SummarizeNested(call.input(static_cast<int>(i)), call.attr<int64_t>("summarize"));
    at = next + placeholder.size();
  }
  out += text.substr(at);
  return absl::OkStatus();
}

absl::Status PrintV2(KernelCall& call) {
  const auto stream = call.attr<std::string_view>("output_stream");
  const std::string line = absl::StrCat(*call.input(0).as<std::string>(), std::string(call.attr<std::string_view>("end")));
  const auto write = [&](std::FILE* to) { return std::fwrite(line.data(), 1, line.size(), to) == line.size() && std::fflush(to) == 0; };
  bool written;
  if (stream.starts_with("file://")) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(std::string(stream.substr(7)).c_str(), "a"), std::fclose);
    written = file && write(file.get());
  } else {
    written = write(stream == "stdout" ? stdout : stderr);
  }
  if (!written) return absl::UnknownError(absl::StrCat("PrintV2: cannot write to ", std::string(stream)));
  return absl::OkStatus();
}

// How often a Print has printed.
struct PrintCount : KernelState {
  std::atomic<int64_t> count = 0;
};

absl::Status ForwardInput(KernelCall& call) {
  Tensor value = call.owned_input(0);
  if (!value.defined()) return OutOfMemoryError(call.schema.name(), call.input(0).dtype, call.input(0).dims_span());
  call.SetOutput(0, std::move(value));
  return absl::OkStatus();
}

absl::Status Print(KernelCall& call) {
  RETURN_IF_ERROR(ForwardInput(call));
  const int64_t first_n = call.attr<int64_t>("first_n");
  if (first_n >= 0 && call.node_state && call.node_state->Get<PrintCount>().count++ >= first_n) return absl::OkStatus();
  std::string line(call.attr<std::string_view>("message"));
  for (size_t i = 1; i < call.inputs.size(); ++i)
    absl::StrAppend(&line, "[", SummarizeFlat(call.input(static_cast<int>(i)), call.attr<int64_t>("summarize")), "]");
  line += "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
  return absl::OkStatus();
}

template <class T>
absl::Status CheckNumerics(KernelCall& call) {
  const TensorRep& x = call.input(0);
  bool nan = false, inf = false;
  for (int64_t i = 0; i < x.count; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      nan |= std::isnan(x.as<T>()[i]);
      inf |= std::isinf(x.as<T>()[i]);
    } else {
      nan |= std::isnan(float(x.as<T>()[i]));
      inf |= std::isinf(float(x.as<T>()[i]));
    }
  }
  if (nan || inf)
    return call.Error(std::string(call.attr<std::string_view>("message")), " : tensor had ", nan ? (inf ? "NaN and Inf" : "NaN") : "Inf", " values");
  return ForwardInput(call);
}

}  // namespace

void AssertCpu(CpuKernel& k) { k.SetAll(Assert); }
void StringFormatCpu(CpuKernel& k) { k.SetAll(StringFormat); }
void PrintV2Cpu(CpuKernel& k) { k.SetAll(PrintV2); }
void PrintCpu(CpuKernel& k) { k.SetAll(Print); }
void CheckNumericsCpu(CpuKernel& k) {
  k.Set(kFloat32, CheckNumerics<float>);
  k.Set(kFloat64, CheckNumerics<double>);
  k.Set(kFloat16, CheckNumerics<Half>);
  k.Set(kBFloat16, CheckNumerics<BFloat16>);
}

}  // namespace tandem
