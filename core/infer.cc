#include "core/infer.h"

#include <algorithm>

#include "core/int_values.h"

namespace tandem {
namespace {

std::string AllowedText(const OpAttr& attr) {
  std::string text;
  for (int i = 1; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!(attr.allowed_types >> i & 1) || DTypeName(dtype).starts_with('q')) continue;
    if (!text.empty()) text += ", ";
    text += DTypeName(dtype);
  }
  return text;
}

}  // namespace

std::string InferContext::InputName(int flat) const {
  int position = 0;
  for (const OpArg& arg : schema_.inputs()) {
    int length = 1;
    if (arg.number_attr >= 0) length = signature_.numbers[arg.number_attr];
    else if (arg.type_list_attr >= 0) length = signature_.numbers[arg.type_list_attr];
    if (flat < position + length) {
      return arg.is_list() ? absl::StrCat(arg.name, "[", flat - position, "]") : arg.name;
    }
    position += length;
  }
  return absl::StrCat("input ", flat);
}

std::string InferContext::Describe(int i) const { return absl::StrCat(InputName(i), " is ", input(i).ToString()); }

std::string InferContext::Describe(int i, int axis) const {
  const int64_t d = dim(i, axis);
  return absl::StrCat(Describe(i), " (dim ", axis, " = ", d < 0 ? "?" : std::to_string(d), ")");
}

absl::Status InferContext::Differ(std::string_view what, int a, int a_axis, int b, int b_axis) const {
  return Error(Absl(what), " differ: ", Describe(a, a_axis), ", ", Describe(b, b_axis));
}

absl::Status InferContext::Resolve() {
  const auto& args = schema_.inputs();
  const auto& attrs = schema_.attrs();
  const auto set_type = [&](int attr, int i) -> absl::Status {
    const DType d = inputs_[i].dtype;
    DType& known = signature_.types[attr];
    if (known == d) [[likely]] return absl::OkStatus();
    if (known != DType::kInvalid) {
      // Name the first input that set the attr: the user sees both.
      int first = 0;
      while (first < i && inputs_[first].dtype != known) ++first;
      return Error("dtypes differ: ", InputName(first), " is ", Absl(DTypeName(known)), ", ", InputName(i), " is ", Absl(DTypeName(d)));
    }
    if (!(attrs[attr].allowed_types >> static_cast<int>(d) & 1))
      return Error(InputName(i), " is ", Absl(DTypeName(d)), ", must be one of ", AllowedText(attrs[attr]));
    known = d;
    return absl::OkStatus();
  };
  const auto set_fixed = [&](DType want, int i) -> absl::Status {
    if (inputs_[i].dtype == want) [[likely]] return absl::OkStatus();
    return Error(InputName(i), " is ", Absl(DTypeName(inputs_[i].dtype)), ", must be ", Absl(DTypeName(want)));
  };
  const auto n = static_cast<int>(inputs_.size());

  if (attrs_.size() != static_cast<size_t>(schema_.num_explicit_attrs()))
    return absl::InternalError(absl::StrCat(schema_.name(), ": called with ", attrs_.size(), " attributes, has ", schema_.num_explicit_attrs()));
  for (size_t i = 0; i < attrs.size(); ++i) {
    const OpAttr& attr = attrs[i];
    if (attr.explicit_index < 0) continue;
    const AttrRef& value = attrs_[attr.explicit_index];
    if (value.kind() != attr.kind)
      return Error("attribute ", attr.name, " is ", Absl(AttrKindName(value.kind())), ", must be ", Absl(AttrKindName(attr.kind)));
    switch (attr.kind) {
      case AttrKind::kType: {
        const DType d = value.get<DType>();
        if (!(attr.allowed_types >> static_cast<int>(d) & 1) || d == DType::kInvalid)
          return Error("attribute ", attr.name, " is ", Absl(DTypeName(d)), ", must be one of ", AllowedText(attr));
        signature_.types[i] = d;
        break;
      }
      case AttrKind::kTypeList: {
        const auto list = value.get<std::span<const DType>>();
        signature_.numbers[i] = static_cast<int32_t>(list.size());
        for (DType d : list)
          if (!(attr.allowed_types >> static_cast<int>(d) & 1))
            return Error("attribute ", attr.name, " has ", Absl(DTypeName(d)), ", must be of ", AllowedText(attr));
        if (attr.has_minimum && static_cast<int64_t>(list.size()) < attr.minimum)
          return Error("attribute ", attr.name, " has ", list.size(), " elements, needs at least ", attr.minimum);
        break;
      }
      case AttrKind::kInt: {
        const int64_t v = value.get<int64_t>();
        if (attr.has_minimum && v < attr.minimum)
          return Error("attribute ", attr.name, " is ", v, ", must be at least ", attr.minimum);
        // Lengths of lists: more than 2^31 - 1 tensors cannot be.
        signature_.numbers[i] = static_cast<int32_t>(std::clamp<int64_t>(v, INT32_MIN, INT32_MAX));
        break;
      }
      case AttrKind::kIntList:
        if (const auto list = value.get<std::span<const int64_t>>(); attr.has_minimum && static_cast<int64_t>(list.size()) < attr.minimum)
          return Error("attribute ", attr.name, " has ", list.size(), " elements, needs at least ", attr.minimum);
        break;
      case AttrKind::kString:
        if (!attr.allowed_strings.empty()) {
          const auto v = value.get<std::string_view>();
          if (std::find(attr.allowed_strings.begin(), attr.allowed_strings.end(), v) == attr.allowed_strings.end()) {
            std::string allowed;
            for (const std::string& s : attr.allowed_strings) absl::StrAppend(&allowed, allowed.empty() ? "" : ", ", "\"", s, "\"");
            return Error("attribute ", attr.name, " is \"", Absl(v), "\", must be one of ", allowed);
          }
        }
        break;
      default: break;
    }
  }

  if (schema_.plain()) [[likely]] {
    if (n != static_cast<int>(args.size())) return Error("takes ", args.size(), " inputs, got ", n);
    for (int i = 0; i < n; ++i) {
      const OpArg& arg = args[i];
      RETURN_IF_ERROR(arg.type_attr >= 0 ? set_type(arg.type_attr, i) : set_fixed(arg.dtype, i));
    }
  } else {
    // A list's length is its attr's where that was passed, else what the other arguments leave, split evenly.
    int lists = 0, fixed = 0;
    for (const OpArg& arg : args) {
      const int attr = arg.number_attr >= 0 ? arg.number_attr : arg.type_list_attr;
      if (attr < 0) ++fixed;
      else if (attrs[attr].explicit_index >= 0) fixed += std::max(signature_.numbers[attr], 0);
      else ++lists;
    }
    const int left = n - fixed;
    if (lists == 0 ? left != 0 : (left < 0 || left % lists != 0))
      return Error("got ", n, " inputs, which does not fit (", schema_.inputs_text(), ")");
    int position = 0;
    for (const OpArg& arg : args) {
      if (!arg.is_list()) {
        RETURN_IF_ERROR(arg.type_attr >= 0 ? set_type(arg.type_attr, position) : set_fixed(arg.dtype, position));
        ++position;
        continue;
      }
      const int attr = arg.number_attr >= 0 ? arg.number_attr : arg.type_list_attr;
      const bool passed = attrs[attr].explicit_index >= 0;
      const int length = passed ? std::max(signature_.numbers[attr], 0) : left / lists;
      signature_.numbers[attr] = length;
      if (attrs[attr].has_minimum && length < attrs[attr].minimum)
        return Error(arg.name, " has ", length, " tensors, needs at least ", attrs[attr].minimum);
      if (arg.type_list_attr >= 0) {
        signature_.list_start[attr] = position;
        for (int i = 0; i < length; ++i) {
          const DType d = inputs_[position + i].dtype;
          if (passed) RETURN_IF_ERROR(set_fixed(attrs_[attrs[attr].explicit_index].get<std::span<const DType>>()[i], position + i));
          else if (!(attrs[attr].allowed_types >> static_cast<int>(d) & 1))
            return Error(InputName(position + i), " is ", Absl(DTypeName(d)), ", must be one of ", AllowedText(attrs[attr]));
        }
      } else {
        for (int i = 0; i < length; ++i)
          RETURN_IF_ERROR(arg.type_attr >= 0 ? set_type(arg.type_attr, position + i) : set_fixed(arg.dtype, position + i));
      }
      position += length;
    }
  }

  outputs_.clear();
  for (const OpArg& arg : schema_.outputs()) {
    if (arg.type_list_attr >= 0) {
      const OpAttr& attr = attrs[arg.type_list_attr];
      for (int i = 0; i < signature_.numbers[arg.type_list_attr]; ++i) {
        const DType d = attr.explicit_index >= 0 ? attrs_[attr.explicit_index].get<std::span<const DType>>()[i]
                                                 : inputs_[signature_.list_start[arg.type_list_attr] + i].dtype;
        outputs_.emplace_back().dtype = d;
      }
      continue;
    }
    const DType d = arg.type_attr >= 0 ? signature_.types[arg.type_attr] : arg.dtype;
    const int length = arg.number_attr >= 0 ? std::max(signature_.numbers[arg.number_attr], 0) : 1;
    for (int i = 0; i < length; ++i) outputs_.emplace_back().dtype = d;
  }
  return absl::OkStatus();
}

absl::Status InferContext::Run() {
  RETURN_IF_ERROR(Resolve());
  return schema_.infer()(*this);
}

std::optional<absl::InlinedVector<int64_t, 8>> InferContext::IntValues(int i) const {
  const TensorRep* v = inputs_[i].value;
  if (!v || !IsInteger(v->dtype)) return std::nullopt;
  return tandem::IntValues(*v);
}

absl::StatusOr<std::optional<int64_t>> InferContext::ScalarInt(int i) const {
  if (rank(i) > 1 || (rank(i) == 1 && dim(i, 0) >= 0 && dim(i, 0) != 1)) return Error(InputName(i), " must be a scalar, is ", input(i).ToString());
  const auto values = IntValues(i);
  if (!values || values->size() != 1) return std::optional<int64_t>();
  return std::optional<int64_t>((*values)[0]);
}

absl::StatusOr<Shape> InferContext::InputOfRank(int i, int want) const {
  if (rank(i) == want) return input(i);
  if (rank(i) >= 0) {
    static constexpr const char* kNames[] = {"a scalar", "a vector", "a matrix"};
    return Error(InputName(i), " must be ", want <= 2 ? kNames[want] : absl::StrCat("of rank ", want), ", is ", input(i).ToString());
  }
  Shape unknown;
  for (int k = 0; k < want; ++k) unknown.push_back(kUnknownDim);
  return unknown;
}

absl::StatusOr<Shape> InferContext::InputOfRankAtLeast(int i, int want) const {
  if (rank(i) >= 0 && rank(i) < want) return Error(InputName(i), " must have rank ", want, " or more, is ", input(i).ToString());
  return input(i);
}

absl::StatusOr<int> InferContext::Axis(int64_t axis, int rank, std::string_view name) const {
  if (axis < -rank || axis >= rank) return Error(Absl(name), " is ", axis, ", must be in [", -rank, ", ", rank, ")");
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::optional<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  if (!a.known_rank() || !b.known_rank()) return Shape::Unknown();
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape out = longer;
  const int shift = longer.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    const int64_t x = longer[shift + i], y = shorter[i];
    int64_t& o = out[shift + i];
    if (x == y) continue;
    if (x == 1) o = y;
    else if (y == 1) o = x;
    else if (x < 0) o = y;   // must become y, or 1
    else if (y < 0) o = x;
    else return std::nullopt;
  }
  return out;
}

absl::Status InferSameAsInput(InferContext& c) { return c.Output(c.input(0)); }

absl::Status InferBroadcast(InferContext& c) {
  if (c.num_inputs() == 0) return c.Output({});
  Shape out = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    auto next = BroadcastShapes(out, c.input(i));
    if (!next) {
      std::string all = c.Describe(0);
      for (int k = 1; k < c.num_inputs(); ++k) absl::StrAppend(&all, ", ", c.Describe(k));
      return c.Error("shapes do not broadcast: ", all);
    }
    out = *std::move(next);
  }
  return c.Output(std::move(out));
}

absl::Status InferScalar(InferContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.Output(i, {}).IgnoreError();
  return absl::OkStatus();
}

absl::Status InferUnknown(InferContext&) { return absl::OkStatus(); }

absl::Status InferAllSame(InferContext& c) {
  Shape out = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    auto merged = out.MergedWith(c.input(i));
    if (!merged) return c.Error("shapes differ: ", c.Describe(0), ", ", c.Describe(i));
    out = *std::move(merged);
  }
  return c.Output(std::move(out));
}

}  // namespace tandem
