#include "core/bundle/tensor_slice.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace tandem {
namespace {

absl::Status Malformed(std::string_view text, std::string_view why) {
  return InvalidArgument("shape_and_slices \"", std::string(text), "\": ", std::string(why));
}

bool ParseInt(std::string_view text, int64_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && *value >= 0;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t at = 0;; ) {
    const size_t next = text.find(separator, at);
    parts.push_back(text.substr(at, next - at));
    if (next == text.npos) return parts;
    at = next + 1;
  }
}

// One byte that counts the bytes of v, then v big-endian without leading zeros.
void AppendCount(uint64_t v, std::string& out) {
  char bytes[8];
  int n = 0;
  for (; v; v >>= 8) bytes[n++] = static_cast<char>(v & 255);
  out += static_cast<char>(n);
  while (n) out += bytes[--n];
}

// The fewest n bytes with v < 2^(7n-1), big-endian, the top n bits of all set; a negative number is the complement of ~v.
void AppendSigned(int64_t v, std::string& out) {
  const uint64_t magnitude = static_cast<uint64_t>(v < 0 ? ~v : v);
  int n = 1;
  while (n < 10 && magnitude >> std::min(7 * n - 1, 63)) ++n;
  std::string bytes(n, '\0');
  for (int i = 0; i < n && i < 8; ++i) bytes[n - 1 - i] = static_cast<char>(magnitude >> 8 * i & 255);
  for (int bit = 0; bit < n; ++bit) bytes[bit / 8] = static_cast<char>(bytes[bit / 8] | 0x80 >> bit % 8);
  if (v < 0)
    for (char& c : bytes) c = static_cast<char>(~c);
  out += bytes;
}

}  // namespace

bool TensorSlice::whole() const {
  return std::ranges::all_of(length, [](int64_t l) { return l == kWhole; });
}

absl::StatusOr<TensorSlice> TensorSlice::Within(const Shape& full) const {
  if (static_cast<int>(start.size()) != full.rank()) return InvalidArgument("slice ", ToString(), " has ", start.size(), " dimensions, the tensor is ", full.ToString());
  TensorSlice out = *this;
  for (int i = 0; i < full.rank(); ++i) {
    if (length[i] == kWhole) out.length[i] = full[i];
    else if (start[i] < 0 || length[i] < 0 || start[i] > full[i] || length[i] > full[i] - start[i])
      return InvalidArgument("slice ", ToString(), " is no part of ", full.ToString(), " (dimension ", i, ")");
  }
  return out;
}

std::string TensorSlice::ToString() const {
  std::string text;
  for (size_t i = 0; i < start.size(); ++i) {
    if (i) text += ':';
    text += length[i] == kWhole ? "-" : absl::StrCat(start[i], ",", length[i]);
  }
  return text;
}

absl::StatusOr<std::optional<ShapeAndSlice>> ParseShapeAndSlice(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::vector<std::string_view> words = Split(text, ' ');
  if (words.size() < 2) return Malformed(text, "needs dimensions, a space and a slice");
  if (words.size() - 1 > kMaxRank) return Malformed(text, "has too many dimensions");
  ShapeAndSlice out;
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    int64_t dim;
    if (!ParseInt(words[i], &dim)) return Malformed(text, absl::StrCat("\"", Absl(words[i]), "\" is no dimension"));
    out.full.push_back(dim);
  }
  const auto parts = Split(words.back(), ':');
  if (parts.size() != words.size() - 1) return Malformed(text, absl::StrCat(words.size() - 1, " dimensions, the slice has ", parts.size()));
  for (const std::string_view part : parts) {
    int64_t start = 0, length = TensorSlice::kWhole;
    if (part != "-") {
      const auto pair = Split(part, ',');
      if (pair.size() != 2 || !ParseInt(pair[0], &start) || !ParseInt(pair[1], &length))
        return Malformed(text, absl::StrCat("\"", Absl(part), "\" is neither \"-\" nor \"start,length\""));
    }
    out.slice.start.push_back(start);
    out.slice.length.push_back(length);
  }
  ASSIGN_OR_RETURN(out.filled, out.slice.Within(out.full));
  out.shape = Shape(std::span<const int64_t>(out.filled.length));
  if (!out.full.num_elements()) return Malformed(text, "more than 2^63 - 1 elements");
  return out;
}

std::string SliceKey(std::string_view name, const TensorSlice& slice) {
  std::string key;
  AppendCount(0, key);
  for (const char c : name) {
    if (c == '\0') key.append("\0\xff", 2);
    else if (c == '\xff') key.append("\xff\0", 2);
    else key += c;
  }
  key.append("\0\x01", 2);
  AppendCount(slice.start.size(), key);
  for (size_t i = 0; i < slice.start.size(); ++i) {
    AppendSigned(slice.start[i], key);
    AppendSigned(slice.length[i], key);
  }
  return key;
}

std::optional<TensorSlice> Overlap(const TensorSlice& a, const TensorSlice& b) {
  TensorSlice out;
  for (size_t i = 0; i < a.start.size(); ++i) {
    const int64_t begin = std::max(a.start[i], b.start[i]);
    const int64_t end = std::min(a.start[i] + a.length[i], b.start[i] + b.length[i]);
    if (end <= begin) return std::nullopt;
    out.start.push_back(begin);
    out.length.push_back(end - begin);
  }
  return out;
}

void CopySlice(const TensorSlice& part, const TensorSlice& from_slice, const void* from, const TensorSlice& to_slice, void* to, size_t size) {
  const int rank = static_cast<int>(part.start.size());
  const int64_t run = rank ? part.length[rank - 1] : 1;
  std::vector<int64_t> at(std::max(rank, 1), 0);  // position inside part; the last dimension is copied whole
  while (true) {
    int64_t source = 0, target = 0;
    for (int i = 0; i < rank; ++i) {
      source = source * from_slice.length[i] + part.start[i] + at[i] - from_slice.start[i];
      target = target * to_slice.length[i] + part.start[i] + at[i] - to_slice.start[i];
    }
    if (size) {
      std::memcpy(static_cast<char*>(to) + target * static_cast<int64_t>(size), static_cast<const char*>(from) + source * static_cast<int64_t>(size), run * size);
    } else {
      std::copy_n(static_cast<const std::string*>(from) + source, run, static_cast<std::string*>(to) + target);
    }
    int axis = rank - 2;
    while (axis >= 0 && ++at[axis] == part.length[axis]) at[axis--] = 0;
    if (axis < 0) return;
  }
}

}  // namespace tandem
