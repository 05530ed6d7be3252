// Programs: interpreted, emitted for AVX2 and for AVX-512, and kernel by kernel, give the same bits.
#include "kernels/vector/program.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <thread>

#include "kernels/vector/compile.h"
#include "kernels/vector/interpreter.h"
#include "kernels/vector/record.h"
#include "tests/kernels/vector/test_loops.h"

namespace tandem {
namespace {

using Kind = Program::Value;

bool SameArray(VecType type, const uint8_t* a, const uint8_t* b, int64_t n) {
  const auto same = [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < n; ++i) {
      T x, y;
      std::memcpy(&x, a + i * sizeof(T), sizeof(T));
      std::memcpy(&y, b + i * sizeof(T), sizeof(T));
      if (!SameBits(x, y)) return false;
    }
    return true;
  };
  switch (type) {
    case VecType::kF32: return same(float{});
    case VecType::kF64: return same(double{});
    case VecType::kI32: return same(int32_t{});
    case VecType::kI64: return same(int64_t{});
    default: return same(uint8_t{});
  }
}

template <typename T>
std::vector<uint8_t> BytesOf(const std::vector<T>& v) {
  std::vector<uint8_t> bytes(v.size() * sizeof(T));
  std::memcpy(bytes.data(), v.data(), bytes.size());
  return bytes;
}

std::vector<uint8_t> RandomBytes(VecType type, int64_t n, uint32_t seed) {
  switch (type) {
    case VecType::kF32: return BytesOf(Values<float>(n, seed));
    case VecType::kF64: return BytesOf(Values<double>(n, seed));
    case VecType::kI32: return BytesOf(Values<int32_t>(n, seed));
    case VecType::kI64: return BytesOf(Values<int64_t>(n, seed));
    default: return Values<uint8_t>(n, seed);
  }
}

// A program with data: each value kernel by kernel over whole arrays is the reference.
class Run {
 public:
  Run(const Program& program, int64_t rows, int64_t cols, uint32_t seed) : program_(program), rows_(rows), cols_(cols) {
    for (const Kind& v : program.values()) {
      if (v.kind != Kind::kInput) continue;
      data_.push_back(RandomBytes(v.type, rows * cols + 1, seed + 17 * static_cast<uint32_t>(data_.size())));
      const bool repeats = (seed + data_.size()) % 3 == 0;
      in_.push_back({nullptr, repeats ? 0 : v.splat ? 1 : cols, v.splat ? 0 : 1});
    }
    for (size_t k = 0; k < data_.size(); ++k) in_[k].data = data_[k].data();
  }

  std::vector<std::vector<uint8_t>> Reference(vec::Isa isa) const {
    const vec::KernelTable& kernels = vec::KernelsFor(isa);
    std::vector<std::vector<uint8_t>> all;
    std::vector<Operand2D> operands;
    for (const Kind& v : program_.values()) {
      all.emplace_back(rows_ * cols_ * 8 + 8);
      if (v.kind == Kind::kInput) {
        operands.push_back(in_[v.input]);
        continue;
      }
      if (v.kind == Kind::kConstant) {
        std::memcpy(all.back().data(), &v.bits, 8);
        operands.push_back({all.back().data(), 0, 0});
        continue;
      }
      Operand2D args[3];
      for (int k = 0; k < NumInputs(v.op); ++k) args[k] = operands[v.args[k]];
      const auto fn = v.op == VecOp::kCast ? kernels.cast[static_cast<int>(v.operand_type)][static_cast<int>(v.type)]
                                           : kernels.elementwise[static_cast<int>(v.op)][static_cast<int>(v.operand_type)];
      fn(args, all.back().data(), rows_, cols_, &v.param);
      operands.push_back({all.back().data(), cols_, 1});
    }
    std::vector<std::vector<uint8_t>> outputs;
    for (size_t k = 0; k < program_.outputs().size(); ++k) {
      const int o = program_.outputs()[k];
      const VecType type = program_.values()[o].type;
      std::vector<uint8_t> whole(rows_ * cols_ * 8);
      kernels.cast[static_cast<int>(type)][static_cast<int>(type)](&operands[o], whole.data(), rows_, cols_, nullptr);
      outputs.emplace_back(rows_ * cols_ * 8);
      if (const auto op = program_.reductions()[k]) Reduce(*op, type, whole.data(), outputs.back().data(), rows_, cols_, 1, 0, 1);
      else outputs.back() = whole;
    }
    return outputs;
  }

  // The first output that differs from the reference, or -1. Nothing beyond the outputs may be written.
  int Differs(const CompiledProgram& compiled, const std::vector<std::vector<uint8_t>>& want) const {
    std::vector<std::vector<uint8_t>> got;
    std::vector<void*> outs;
    std::vector<int64_t> bytes;
    std::vector<int64_t> counts;
    for (size_t k = 0; k < program_.outputs().size(); ++k) {
      counts.push_back(program_.reductions()[k] ? rows_ : rows_ * cols_);
      bytes.push_back(counts.back() * ByteSize(program_.values()[program_.outputs()[k]].type));
      got.emplace_back(bytes.back() + 64, 0xAB);
    }
    for (auto& g : got) outs.push_back(g.data());
    compiled.Run(in_.data(), outs.data(), rows_, cols_);
    for (size_t k = 0; k < got.size(); ++k) {
      if (!SameArray(program_.values()[program_.outputs()[k]].type, got[k].data(), want[k].data(), counts[k])) return static_cast<int>(k);
      for (int i = 0; i < 64; ++i) {  // the canary
        if (got[k][bytes[k] + i] != 0xAB) return static_cast<int>(k);
      }
    }
    return -1;
  }

 private:
  const Program& program_;
  const int64_t rows_, cols_;
  std::vector<std::vector<uint8_t>> data_;
  std::vector<Operand2D> in_;
};

std::string Describe(const Program& p) {
  std::string s;
  for (size_t i = 0; i < p.values().size(); ++i) {
    const Kind& v = p.values()[i];
    s += "v" + std::to_string(i) + " = ";
    if (v.kind == Kind::kInput) s += std::string(v.splat ? "splat " : "input ");
    if (v.kind == Kind::kConstant) s += "constant " + std::to_string(v.bits);
    if (v.kind == Kind::kApply) {
      s += std::string(Name(v.op)) + "(";
      for (int k = 0; k < NumInputs(v.op); ++k) s += " v" + std::to_string(v.args[k]);
      s += " )";
    }
    s += std::string(" : ") + Name(v.type) + "\n";
  }
  s += "outputs";
  for (int o : p.outputs()) s += " v" + std::to_string(o);
  return s;
}

// Counts programs that were emitted, so that a test can demand some.
int CheckProgram(const Program& program, int64_t rows, int64_t cols, uint32_t seed) {
  REQUIRE(program.valid());
  const Run run(program, rows, cols, seed);
  int emitted = 0;
  for (vec::Isa isa : Isas()) {
    const auto want = run.Reference(isa);
    for (const auto& compiled : {vec::WithReductions(program, vec::MakeInterpreter(program, isa)), vec::MakeEmitted(program, isa)}) {
      if (compiled == nullptr) continue;
      emitted += compiled->emitted();
      const int output = run.Differs(*compiled, want);
      if (output >= 0) {
        FAIL("output " << output << " of " << rows << " by " << cols << (compiled->emitted() ? ", emitted" : ", interpreted") << ", vector unit " << static_cast<int>(isa) << ", seed " << seed << "\n" << Describe(program));
      }
    }
  }
  return emitted;
}

const VecType kTypes[] = {VecType::kF32, VecType::kF64, VecType::kI32, VecType::kI64, VecType::kBool};

// Nothing is fused that the emitter does not know: these alone are left to the interpreter.
bool LeftToInterpreter(VecOp op, VecType type, vec::Isa isa) {
  const bool divides = op == VecOp::kFloorDiv || op == VecOp::kFloorMod || op == VecOp::kTruncateDiv || op == VecOp::kTruncateMod;
  if (type == VecType::kI64 && divides) return true;
  if (op == VecOp::kPow && (type == VecType::kI32 || type == VecType::kI64)) return true;
  const bool multiplies = op == VecOp::kMul || op == VecOp::kSquare || op == VecOp::kSquaredDifference ||
                          op == VecOp::kReluGrad || op == VecOp::kRelu6Grad;
  return isa == vec::Isa::kAvx2 && type == VecType::kI64 && multiplies;
}

TEST_CASE("every function as a program of its own") {
  for (int o = 0; o < kVecOps - 1; ++o) {
    for (const VecType type : kTypes) {
      const VecOp op = static_cast<VecOp>(o);
      if (FindElementwise(op, type) == nullptr) continue;
      Program p;
      int args[3] = {-1, -1, -1};
      for (int k = 0; k < NumInputs(op); ++k) args[k] = p.Input(op == VecOp::kSelect && k == 0 ? VecType::kBool : type, /*splat=*/k == 2);
      if (NumInputs(op) == 1) p.Output(p.Apply(op, {args[0]}, 0.3f));
      else if (NumInputs(op) == 2) p.Output(p.Apply(op, {args[0], args[1]}, 0.3f));
      else p.Output(p.Apply(op, {args[0], args[1], args[2]}));
      INFO(Name(op) << " of " << Name(type));
      for (vec::Isa isa : Isas()) {
        if (isa != vec::Isa::kBaseline) CHECK((vec::MakeEmitted(p, isa) != nullptr) == !LeftToInterpreter(op, type, isa));
      }
      CheckProgram(p, 3, 75, 7 + o);
      CheckProgram(p, 1, 300, 8 + o);
    }
  }
}

TEST_CASE("every cast as a program of its own") {
  for (const VecType from : kTypes) {
    for (const VecType to : kTypes) {
      Program p;
      p.Output(p.Cast(p.Input(from), to));
      CheckProgram(p, 2, 77, 3);
    }
  }
}

// A random well-typed program; the same seed gives the same one.
Program RandomProgram(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % n); };
  Program p;
  const int max_values = 4 + below(seed % 8 == 0 ? 200 : 40);
  const bool floats_only = below(3) == 0;
  const int inputs = 1 + below(seed % 16 == 0 ? 20 : 5);
  for (int k = 0; k < inputs; ++k) p.Input(floats_only ? VecType::kF32 : kTypes[below(5)], below(4) == 0);
  p.Constant(0.5f);
  p.Constant(-3.25f);
  if (!floats_only) {
    p.Constant(2.5);
    p.Constant(int32_t{7});
    p.Constant(int64_t{-9});
    p.Constant(true);
  }
  const auto pick = [&](VecType type) {  // prefer recent values, so that programs grow deep
    const int n = static_cast<int>(p.values().size());
    for (int tries = 0; tries < 30; ++tries) {
      const int v = below(2) ? below(n) : std::max(0, n - 1 - below(6));
      if (p.values()[v].type == type) return v;
    }
    return -1;
  };
  for (int tries = 0; tries < 4 * max_values && static_cast<int>(p.values().size()) < max_values; ++tries) {
    if (below(8) == 0 && !floats_only) {
      p.Cast(below(static_cast<int>(p.values().size())), kTypes[below(5)]);
      continue;
    }
    const VecOp op = static_cast<VecOp>(below(kVecOps - 1));
    const VecType type = floats_only ? VecType::kF32 : kTypes[below(5)];
    if (FindElementwise(op, type) == nullptr) continue;
    if (LeftToInterpreter(op, type, vec::Isa::kAvx512) && below(10)) continue;
    int args[3] = {};
    bool found = true;
    for (int k = 0; k < NumInputs(op); ++k) {
      args[k] = pick(op == VecOp::kSelect && k == 0 ? VecType::kBool : type);
      found = found && args[k] >= 0;
    }
    if (!found) continue;
    if (NumInputs(op) == 1) p.Apply(op, {args[0]}, 0.2f);
    else if (NumInputs(op) == 2) p.Apply(op, {args[0], args[1]}, 0.2f);
    else p.Apply(op, {args[0], args[1], args[2]});
  }
  const int n = static_cast<int>(p.values().size());
  const int outputs = 1 + below(4);
  for (int k = 0; k < outputs; ++k) {
    const int value = k == 0 ? n - 1 : below(n);
    const VecType type = p.values()[value].type;
    if (below(4)) p.Output(value);
    else p.ReducedOutput(value, type == VecType::kBool ? (below(2) ? ReduceOp::kAll : ReduceOp::kAny) : static_cast<ReduceOp>(below(5)));
  }
  return p;
}

TEST_CASE("random programs agree in every bit") {
  const char* wanted = std::getenv("TANDEM_FUZZ_PROGRAMS");
  const int count = wanted ? std::atoi(wanted) : 150;
  const char* first = std::getenv("TANDEM_FUZZ_SEED");
  const uint32_t start = first ? static_cast<uint32_t>(std::atoi(first)) : 1;
  int emitted = 0;
  for (int i = 0; i < count; ++i) {
    const uint32_t seed = start + i;
    const Program p = RandomProgram(seed);
    emitted += CheckProgram(p, 1 + seed % 3, 1 + seed * 37 % 150, seed);
  }
  if (vec::ActiveIsa() != vec::Isa::kBaseline) CHECK(emitted > count / 2);
}

TEST_CASE("programs with more live values than registers") {
  Program p;  // every value is made before the first is used, and used in the order made
  const int x = p.Input(VecType::kF32), y = p.Input(VecType::kF32), d = p.Input(VecType::kF64);
  std::vector<int> floats, doubles, masks;
  for (int i = 0; i < 70; ++i) floats.push_back(p.Apply(VecOp::kMul, {p.Apply(VecOp::kAdd, {x, p.Constant(0.1f * static_cast<float>(i))}), y}));
  for (int i = 0; i < 25; ++i) doubles.push_back(p.Apply(VecOp::kDiv, {d, p.Constant(1.0 + i)}));
  for (int i = 0; i < 20; ++i) masks.push_back(p.Apply(VecOp::kLess, {x, p.Apply(VecOp::kMul, {y, p.Constant(0.3f * static_cast<float>(i))})}));
  int sum = floats[0], total = doubles[0], both = masks[0];
  for (const int m : masks) both = p.Apply(VecOp::kNotEqual, {both, m});
  for (const int v : floats) sum = p.Apply(VecOp::kSub, {v, sum});
  for (const int v : doubles) total = p.Apply(VecOp::kAdd, {total, v});
  const int waves = p.Apply(VecOp::kSin, {p.Apply(VecOp::kMul, {sum, p.Constant(1e20f)})});  // lane calls in between
  for (const int v : floats) sum = p.Apply(VecOp::kAdd, {p.Apply(VecOp::kMul, {sum, waves}), v});
  p.Output(p.Apply(VecOp::kSelect, {both, sum, x}));
  p.Output(total);
  p.Output(both);
  CHECK(CheckProgram(p, 2, 133, 5) == static_cast<int>(Isas().size()) - 1);
}

TEST_CASE("a reduction closes a program with the bits of Reduce") {
  for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMean, ReduceOp::kMax, ReduceOp::kSumSquares}) {
    Program p;
    const int x = p.Input(VecType::kF32), bias = p.Input(VecType::kF32);
    const int y = p.Apply(VecOp::kTanh, {p.Apply(VecOp::kMul, {x, bias})});
    p.ReducedOutput(y, op);
    p.Output(y);
    for (const int64_t cols : {1, 10, 100, 4096, 4097, 10000}) CheckProgram(p, cols < 200 ? 500 : 3, cols, 11);
  }
  Program p;
  p.ReducedOutput(p.Input(VecType::kI32), ReduceOp::kMean);
  CHECK_FALSE(p.valid());
  Program empty;
  empty.ReducedOutput(empty.Input(VecType::kF32), ReduceOp::kMax);
  float y[2] = {7, 7};
  void* outs[1] = {y};
  const Operand2D in[1] = {{y, 0, 1}};
  Compile(empty)->Run(in, outs, 2, 0);
  CHECK((y[0] == -std::numeric_limits<float>::infinity() && y[1] == y[0]));
}

TEST_CASE("programs survive encoding, and bad bytes are refused") {
  for (uint32_t seed = 1; seed < 60; ++seed) {
    const Program p = RandomProgram(seed);
    const std::string bytes = p.Encode();
    const auto back = Program::Decode(bytes);
    REQUIRE(back.has_value());
    CHECK(back->Encode() == bytes);
    for (size_t cut = 0; cut < bytes.size(); cut += 7) CHECK_FALSE(Program::Decode(bytes.substr(0, cut)).has_value());
    std::mt19937 random(seed);
    for (int i = 0; i < 50; ++i) {
      std::string broken = bytes;
      broken[random() % broken.size()] = static_cast<char>(random());
      if (const auto decoded = Program::Decode(broken)) CHECK(decoded->Encode() == broken);
    }
  }
}

TEST_CASE("what has no kernel makes a program invalid") {
  Program p;
  const int x = p.Input(VecType::kI32), y = p.Input(VecType::kF32);
  CHECK(p.Apply(VecOp::kAdd, {x, y}) == -1);
  CHECK_FALSE(p.valid());
  CHECK(Compile(p) == nullptr);
  Program q;
  q.Apply(VecOp::kExp, {q.Input(VecType::kI64)});
  CHECK_FALSE(q.valid());
}

Program Gelu() {
  Program p;
  const int x = p.Input(VecType::kF32);
  const int cube = p.Apply(VecOp::kMul, {p.Apply(VecOp::kSquare, {x}), x});
  const int inner = p.Apply(VecOp::kAdd, {x, p.Apply(VecOp::kMul, {cube, p.Constant(0.044715f)})});
  const int t = p.Apply(VecOp::kTanh, {p.Apply(VecOp::kMul, {inner, p.Constant(0.7978845608f)})});
  const int half = p.Apply(VecOp::kMul, {x, p.Constant(0.5f)});
  p.Output(p.Apply(VecOp::kMul, {half, p.Apply(VecOp::kAdd, {t, p.Constant(1.0f)})}));
  return p;
}

TEST_CASE("an output may be an input's memory") {
  Program p;  // two outputs, both of which need both inputs
  const int x = p.Input(VecType::kF32), y = p.Input(VecType::kF32);
  p.Output(p.Apply(VecOp::kAdd, {x, y}));
  p.Output(p.Apply(VecOp::kSub, {x, y}));
  for (vec::Isa isa : Isas()) {
    for (const auto& compiled : {vec::MakeInterpreter(p, isa), vec::MakeEmitted(p, isa)}) {
      if (compiled == nullptr) continue;
      std::vector<float> a(403), b(403);
      for (int i = 0; i < 403; ++i) {
        a[i] = static_cast<float>(3 * i);
        b[i] = static_cast<float>(i);
      }
      const Operand2D in[2] = {{a.data(), 403, 1}, {b.data(), 403, 1}};
      void* outs[2] = {b.data(), a.data()};
      compiled->Run(in, outs, 1, 403);
      for (int i = 0; i < 403; ++i) {
        if (b[i] != 4 * i || a[i] != 2 * i) FAIL("at " << i);
      }
    }
  }
  SUCCEED();
}

TEST_CASE("Compile caches, from several threads") {
  std::vector<std::shared_ptr<const CompiledProgram>> all(8);
  std::vector<std::thread> threads;
  for (auto& slot : all) threads.emplace_back([&slot] { slot = Compile(Gelu()); });
  for (auto& thread : threads) thread.join();
  for (const auto& compiled : all) CHECK(compiled == all[0]);
  const char* jit = std::getenv("TANDEM_JIT");
  if (vec::ActiveIsa() != vec::Isa::kBaseline && (jit == nullptr || std::string(jit) != "0")) CHECK(all[0]->emitted());
}

}  // namespace
}  // namespace tandem
