#include "core/dlpack.h"

#include <catch2/catch.hpp>

#include "core/dlpack_abi.h"
#include "tandem.h"

namespace tandem {
namespace {

using dlpack::ManagedTensor;

// What another library would hand over; counts how often it is released.
struct Foreign {
  std::vector<float> data{0, 1, 2, 3, 4, 5};
  std::vector<int64_t> shape{2, 3};
  std::vector<int64_t> strides;
  int released = 0;
  ManagedTensor managed{};

  DLManagedTensor* Capsule() {
    managed.view = {data.data(), {dlpack::kCpu, 0}, static_cast<int32_t>(shape.size()), {dlpack::kFloat, 32, 1}, shape.data(),
                    strides.empty() ? nullptr : strides.data(), 0};
    managed.manager_ctx = this;
    managed.deleter = [](ManagedTensor* self) { ++static_cast<Foreign*>(self->manager_ctx)->released; };
    return reinterpret_cast<DLManagedTensor*>(&managed);
  }
};

}  // namespace

TEST_CASE("an import copies and consumes the capsule") {
  Foreign f;
  const Tensor t = FromDLPack(f.Capsule());
  CHECK(f.released == 1);
  f.data[0] = 9;
  CHECK(t.ToString() == "[[0. 1. 2.]\n [3. 4. 5.]]");
}

TEST_CASE("a shared import keeps the capsule to its last user") {
  Foreign f;
  {
    Tensor sum;
    {
      const Tensor t = FromDLPack(f.Capsule(), {.share = true});
      CHECK(t.data<float>().data() == f.data.data());
      sum = t + t;
    }
    CHECK(f.released == 1);
    CHECK(sum.data<float>()[5] == 10.0f);
  }
  CHECK(f.released == 1);
}

TEST_CASE("strided data is copied, never shared") {
  Foreign f;
  f.shape = {3, 2};
  f.strides = {1, 3};
  CHECK(FromDLPack(f.Capsule()).ToString() == "[[0. 3.]\n [1. 4.]\n [2. 5.]]");
  CHECK_THROWS_WITH(FromDLPack(f.Capsule(), {.share = true}), "FromDLPack: only row-major, compact data can be shared, import a copy");
  CHECK(f.released == 1);
  f.strides = {0, 0};
  CHECK(FromDLPack(f.Capsule()).ToString() == "[[0. 0.]\n [0. 0.]\n [0. 0.]]");
}

TEST_CASE("an export shares the buffer and holds it") {
  auto tensor = std::make_unique<Tensor>(Tensor({{1., 2.}, {3., 4.}}));
  const float* data = tensor->data<float>().data();
  auto* managed = reinterpret_cast<ManagedTensor*>(ToDLPack(*tensor));
  tensor.reset();
  CHECK(managed->view.data == data);
  CHECK(managed->view.ndim == 2);
  CHECK(managed->view.shape[1] == 2);
  CHECK(managed->view.dtype.bits == 32);
  const Tensor back = FromDLPack(reinterpret_cast<DLManagedTensor*>(managed), {.share = true});
  CHECK(back.ToString() == "[[1. 2.]\n [3. 4.]]");
}

TEST_CASE("malformed capsules are refused and stay the caller's") {
  Foreign f;
  const auto message = [&](auto&& change) {
    auto* capsule = f.Capsule();
    change(f.managed.view);
    try {
      FromDLPack(capsule);
    } catch (const Error& e) {
      return e.message();
    }
    return std::string("no error");
  };
  CHECK(message([](auto& v) { v.device.type = dlpack::kCuda; }) == "FromDLPack: the data lies on a device of type 2, not in the CPU's memory");
  CHECK(message([](auto& v) { v.dtype.lanes = 4; }) == "FromDLPack: element type (code 2, 32 bits, 4 lanes) is not known here");
  CHECK(message([](auto& v) { v.ndim = -1; }) == "FromDLPack: rank -1 is not in [0, 254]");
  CHECK(message([](auto& v) { v.shape = nullptr; }) == "FromDLPack: the shape is null");
  CHECK(message([](auto& v) { v.data = nullptr; }) == "FromDLPack: the data is null, the shape is [2,3]");
  f.shape = {2, -3};
  CHECK(message([](auto&) {}) == "FromDLPack: negative dimension -3");
  f.shape = {int64_t{1} << 62, 4};
  CHECK(message([](auto&) {}) == "FromDLPack: the shape [4611686018427387904,4] has more than 2^63 - 1 bytes");
  CHECK(f.released == 0);
  CHECK_THROWS_WITH(FromDLPack(nullptr), "FromDLPack: the capsule is null");
  CHECK_THROWS_WITH(ToDLPack(Tensor("text")), "ToDLPack: a string tensor has no DLPack form");
}

TEST_CASE("empty tensors and scalars pass") {
  Foreign f;
  f.shape = {2, 0};
  CHECK(FromDLPack(f.Capsule()).shape() == Shape{2, 0});
  f.shape = {};
  CHECK(FromDLPack(f.Capsule()).item<float>() == 0.0f);
}

}  // namespace tandem
