#include "core/tensor_proto.h"

#include <catch2/catch.hpp>

#include "core/attr_proto.h"
#include "google/protobuf/text_format.h"
#include "proto/attr_value.pb.h"
#include "proto/tensor.pb.h"
#include "tandem.h"

namespace tandem {
namespace {

proto::TensorProto Message(const std::string& text) {
  proto::TensorProto m;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(text, &m));
  return m;
}
Tensor Read(const std::string& text) {
  auto t = TensorFromProto(Message(text));
  INFO(t.status().ToString());
  REQUIRE(t.ok());
  return *t;
}
template <class T>
std::vector<T> Values(const Tensor& t) {
  const auto d = t.data<T>();
  return {d.begin(), d.end()};
}

struct Wrong {
  const char* text;
  absl::StatusCode code;
  const char* message;
};

}  // namespace

TEST_CASE("a short list repeats its last element, a long one is cut, an empty one is zeros") {
  CHECK(Values<float>(Read("dtype: DT_FLOAT tensor_shape { dim { size: 4 } } float_val: [1, 2]")) == std::vector<float>{1, 2, 2, 2});
  CHECK(Values<float>(Read("dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: [1, 2, 3]")) == std::vector<float>{1, 2});
  CHECK(Values<int64_t>(Read("dtype: DT_INT64 tensor_shape { dim { size: 3 } }")) == std::vector<int64_t>{0, 0, 0});
  CHECK(Values<std::string>(Read("dtype: DT_STRING tensor_shape { dim { size: 3 } } string_val: ['a', 'b']")) ==
        std::vector<std::string>{"a", "b", "b"});
  CHECK(Values<std::string>(Read("dtype: DT_STRING tensor_shape { dim { size: 2 } }")) == std::vector<std::string>{"", ""});
  CHECK(Values<std::complex<float>>(Read("dtype: DT_COMPLEX64 tensor_shape { dim { size: 3 } } scomplex_val: [1, 2, 3, 4, 5]")) ==
        std::vector<std::complex<float>>{{1, 2}, {3, 4}, {3, 4}});
}

TEST_CASE("values in another dtype's list are not seen, and narrow integers wrap") {
  CHECK(Values<float>(Read("dtype: DT_FLOAT tensor_shape { dim { size: 2 } } double_val: [1, 2]")) == std::vector<float>{0, 0});
  CHECK(Values<int8_t>(Read("dtype: DT_INT8 int_val: 300")) == std::vector<int8_t>{44});
  const Tensor half = Read("dtype: DT_HALF half_val: 0x12345678");
  CHECK(half.data<Half>()[0].bits == 0x5678);
}

TEST_CASE("no shape is a scalar, a zero dimension is empty") {
  CHECK(Read("dtype: DT_FLOAT float_val: [7, 8]").shape() == Shape{});
  CHECK(Read("dtype: DT_FLOAT tensor_shape { unknown_rank: true } float_val: 7").item<float>() == 7);
  CHECK(Read("dtype: DT_FLOAT tensor_shape { dim { size: 0 } dim { size: 1099511627776 } } float_val: 7").size() == 0);
}

TEST_CASE("tensor_content is exact and wins") {
  const Tensor t = Read("dtype: DT_INT16 tensor_shape { dim { size: 2 } } tensor_content: '\\001\\000\\002\\001' int_val: 9");
  CHECK(Values<int16_t>(t) == std::vector<int16_t>{1, 258});
  CHECK(Values<std::string>(Read("dtype: DT_STRING tensor_shape { dim { size: 2 } } tensor_content: '\\001\\002abc'")) ==
        std::vector<std::string>{"a", "bc"});
}

TEST_CASE("wrong messages are refused before anything is allocated") {
  const auto before = GetAllocatorStatistics().live_bytes;
  const Wrong kWrong[] = {
      {"dtype: DT_FLOAT tensor_shape { dim { size: 4 } } tensor_content: 'abc'", absl::StatusCode::kInvalidArgument,
       "tensor: float32[4] needs 16 bytes, tensor_content has 3"},
      {"dtype: DT_BOOL tensor_shape { dim { size: 1 } } tensor_content: '\\002'", absl::StatusCode::kInvalidArgument,
       "tensor: bool[1] has a byte of value 2 in tensor_content"},
      {"tensor_shape { dim { size: 1 } }", absl::StatusCode::kInvalidArgument, "tensor: type number 0 is no dtype"},
      {"dtype: DT_FLOAT_REF", absl::StatusCode::kInvalidArgument, "tensor: DT_FLOAT_REF is a reference, which is no dtype of a value"},
      {"dtype: DT_FLOAT8_E5M2", absl::StatusCode::kUnimplemented, "tensor: DT_FLOAT8_E5M2 is not among the dtypes here"},
      {"dtype: DT_FLOAT tensor_shape { dim { size: -3 } }", absl::StatusCode::kInvalidArgument,
       "tensor: a shape with dimension -3, must be at least 0, or -1 for unknown"},
      {"dtype: DT_FLOAT tensor_shape { dim { size: -1 } }", absl::StatusCode::kInvalidArgument,
       "tensor: shape [?] has a negative dimension"},
      {"dtype: DT_FLOAT tensor_shape { dim { size: 1099511627776 } dim { size: 1099511627776 } } float_val: 1",
       absl::StatusCode::kInvalidArgument, "tensor: shape [1099511627776,1099511627776] has more than 2^63 - 1 elements"},
      {"dtype: DT_FLOAT tensor_shape { dim { size: 1099511627776 } } float_val: 1", absl::StatusCode::kResourceExhausted,
       "tensor: float32[1099511627776] from 1 elements, more than the 1073741824 bytes that repeated elements may take"},
      {"dtype: DT_STRING tensor_shape { dim { size: 9 } } tensor_content: 'abc'", absl::StatusCode::kInvalidArgument,
       "tensor: string[9]: tensor_content of 3 bytes does not hold 9 strings"},
      {"dtype: DT_RESOURCE", absl::StatusCode::kUnimplemented,
       "tensor: a resource belongs to its process and is not read from a message"},
  };
  for (const Wrong& wrong : kWrong) {
    INFO(wrong.text);
    const auto got = TensorFromProto(Message(wrong.text));
    CHECK(got.status().code() == wrong.code);
    CHECK(std::string(got.status().message()) == wrong.message);
  }
  CHECK(GetAllocatorStatistics().live_bytes == before);
}

TEST_CASE("writing and reading give the same bits for every dtype") {
  const auto check = [](const Tensor& t) {
    proto::TensorProto m;
    REQUIRE(TensorToProto(t, &m).ok());
    auto back = TensorFromProto(m);
    REQUIRE(back.ok());
    std::string a, b;
    AppendTensorKey(t, a);
    AppendTensorKey(*back, b);
    CHECK(a == b);
  };
  check(Tensor({1.5f, -0.0f, std::numeric_limits<float>::quiet_NaN()}));
  check(Tensor({-0.0f, 0.0f}));  // equal as numbers, not as bits
  check(Tensor(std::vector<double>{1, 2}));
  check(Tensor(std::vector<int8_t>{-1, 1}));
  check(Tensor(std::vector<uint16_t>{65535, 0}));
  check(Tensor(std::vector<uint64_t>{~0ull, ~0ull}));
  check(Tensor(std::vector<bool>{true, false}));
  check(Tensor(std::vector<Half>{Half(1.5f)}));
  check(Tensor(std::vector<BFloat16>{BFloat16(1.5f), BFloat16(2.0f)}));
  check(Tensor(std::vector<std::complex<double>>{{1, -0.0}, {3, 4}}));
  check(Tensor({std::string("a\0b", 3), std::string()}));
  check(Tensor(std::vector<int32_t>{}));
}

TEST_CASE("equal elements are written once") {
  proto::TensorProto m;
  REQUIRE(TensorToProto(Tensor({{2.f, 2.f}, {2.f, 2.f}}), &m).ok());
  CHECK(m.float_val_size() == 1);
  CHECK(m.tensor_content().empty());
}

TEST_CASE("an attribute must be of the asked kind") {
  proto::AttrValue m;
  m.set_s("x");
  CHECK(std::string(AttrFromProto(m, AttrKind::kType).status().message()) == "is string, must be type");
  CHECK(AttrFromProto(m, AttrKind::kString)->ref().get<std::string_view>() == "x");
  m.mutable_list();
  CHECK(AttrFromProto(m, AttrKind::kShapeList)->ref().get<std::span<const Shape>>().empty());
  CHECK(std::string(AttrFromProto(m, AttrKind::kInt).status().message()) == "is an empty list, must be int");
  m.set_type(static_cast<proto::DataType>(9999));
  CHECK(std::string(AttrFromProto(m, AttrKind::kType).status().message()) == "type number 9999 is no dtype");
  m.Clear();
  CHECK(std::string(AttrFromProto(m, AttrKind::kType).status().message()) == "is empty, must be type");
}

TEST_CASE("every kind of attribute survives a round trip") {
  FuncAttr func{"f", {{"T", AttrValue(AttrRef(kFloat32))}}};
  const std::vector<int64_t> ints = {1, -2};
  const std::vector<float> floats = {0.5f};
  const std::vector<Shape> shapes = {Shape{-1, 2}, Shape::Unknown()};
  const std::vector<Tensor> tensors = {Tensor(1), Tensor({1.5})};
  const bool bools[] = {true, false};
  const AttrValue values[] = {AttrValue(AttrRef(3)), AttrValue(AttrRef(0.25f)), AttrValue(AttrRef(true)), AttrValue(AttrRef(kInt8)),
                              AttrValue(AttrRef("text")), AttrValue(AttrRef(shapes[0])), AttrValue(AttrRef(tensors[1])), AttrValue(AttrRef(func)),
                              AttrValue(AttrRef(ints)), AttrValue(AttrRef(std::span(floats).first(1))), AttrValue(AttrRef(std::span<const bool>(bools))),
                              AttrValue(AttrRef(std::vector<DType>{kFloat32, kInt64})), AttrValue(AttrRef(std::vector<std::string>{"a", ""})),
                              AttrValue(AttrRef(shapes)), AttrValue(AttrRef(std::span<const Tensor>(tensors))),
                              AttrValue(AttrRef(std::span<const FuncAttr>(&func, 1)))};
  for (const AttrValue& v : values) {
    proto::AttrValue m;
    REQUIRE(AttrToProto(v.ref(), &m).ok());
    CHECK(KindOfProto(m) == v.kind());
    auto back = AttrFromProto(m, v.kind());
    REQUIRE(back.ok());
    CHECK(SameAttr(back->ref(), v.ref()));
  }
}

}  // namespace tandem
