// The random ops: stateful ones keep a block number for each node, stateless ones are given key and counter.
#include <random>

#include "core/kernel.h"
#include "kernels/cpu/random_fill.h"

namespace tandem {
namespace {

// Where a node's stream stands. Seeds of (0, 0) stand for seeds at random, drawn once.
class StreamState : public KernelState {
 public:
  StreamState(int64_t seed, int64_t seed2) : key_(static_cast<uint64_t>(seed)), high_(static_cast<uint64_t>(seed2)) {
    if (seed != 0 || seed2 != 0) return;
    std::random_device device;
    const auto word = [&] { return uint64_t{device()} << 32 | device(); };
    key_ = word();
    high_ = word();
  }
  // The stream of one run with n outputs, which moves on by 256 blocks an output.
  Philox Take(int64_t n) { return Philox(key_, next_.fetch_add(256 * static_cast<uint64_t>(n), std::memory_order_relaxed), high_); }

 private:
  uint64_t key_, high_;
  std::atomic<uint64_t> next_ = 0;
};

Philox TakeStream(KernelCall& call) {
  return call.node_state->Get<StreamState>(call.attr<int64_t>("seed"), call.attr<int64_t>("seed2")).Take(call.output().count);
}

template <void (*Fill)(const Philox&, TensorRep&)>
absl::Status Stateful(KernelCall& call) {
  Fill(TakeStream(call), call.output());
  return absl::OkStatus();
}

absl::Status UniformInt(KernelCall& call) {
  TensorRep& out = call.output();
  if (out.count == 0) return absl::OkStatus();
  const auto value = [&](int i) {
    return out.dtype == kInt32 ? int64_t{*call.input(i).as<int32_t>()} : *call.input(i).as<int64_t>();
  };
  const int64_t low = value(1), high = value(2);
  if (low >= high) return call.Error("minval is ", low, ", maxval is ", high, ": minval must be below maxval");
  FillUniformInt(TakeStream(call), low, high, out);
  return absl::OkStatus();
}

enum Algorithm : int32_t { kPhilox = 1, kThreeFry = 2, kAuto = 3 };

template <void (*Fill)(const Philox&, TensorRep&)>
absl::Status Stateless(KernelCall& call) {
  const int32_t algorithm = *call.input(3).as<int32_t>();
  if (algorithm != kPhilox && algorithm != kAuto)
    return call.Error("alg is ", algorithm, ", must be 1 (Philox) or 3 (chosen here)");
  const uint64_t* counter = call.input(2).as<uint64_t>();
  Fill(Philox(*call.input(1).as<uint64_t>(), counter[0], counter[1]), call.output());
  return absl::OkStatus();
}

// Scrambles a user's seed, whose bits may be few, into key and counter.
absl::Status KeyCounter(KernelCall& call) {
  const TensorRep& seed = call.input(0);
  const auto word = [&](int i) {
    return static_cast<uint64_t>(seed.dtype == kInt32 ? int64_t{seed.as<int32_t>()[i]} : seed.as<int64_t>()[i]);
  };
  const PhiloxBlock mixed = Philox(uint64_t{0x02461e29} << 32 | 0x3ec8f720, word(0), word(1)).Block(0);
  *call.output(0).as<uint64_t>() = mixed[0] | uint64_t{mixed[1]} << 32;
  call.output(1).as<uint64_t>()[0] = 0;
  call.output(1).as<uint64_t>()[1] = mixed[2] | uint64_t{mixed[3]} << 32;
  return absl::OkStatus();
}

constexpr std::initializer_list<DType> kFloatingDTypes = {kFloat32, kFloat64, kFloat16, kBFloat16};

}  // namespace

void RandomUniformCpu(CpuKernel& k) { k.Set(kFloatingDTypes, Stateful<FillUniform>); }
void RandomStandardNormalCpu(CpuKernel& k) { k.Set(kFloatingDTypes, Stateful<FillNormal>); }
void TruncatedNormalCpu(CpuKernel& k) { k.Set(kFloatingDTypes, Stateful<FillTruncatedNormal>); }
void RandomUniformIntCpu(CpuKernel& k) { k.Set({kInt32, kInt64}, UniformInt); }
void StatelessRandomGetKeyCounterCpu(CpuKernel& k) { k.Set({kInt32, kInt64}, KeyCounter); }
void StatelessRandomUniformV2Cpu(CpuKernel& k) { k.Set(kFloatingDTypes, Stateless<FillUniform>); }
void StatelessRandomNormalV2Cpu(CpuKernel& k) { k.Set(kFloatingDTypes, Stateless<FillNormal>); }

}  // namespace tandem
