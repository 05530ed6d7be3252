#include "core/status.h"
#include "eager/nn/model.h"

namespace tandem::nn {
namespace {

// Keras's table (keras/src/utils/summary_utils.py) in a terminal of 80 columns.
constexpr int kWidths[] = {31, 22, 13};

std::string Repeat(const char* s, int n) {
  std::string out;
  while (n-- > 0) out += s;
  return out;
}

std::string Rule(const char* left, const char* line, const char* middle, const char* right) {
  std::string out = left;
  for (int c = 0; c < 3; ++c) out += Repeat(line, kWidths[c] + 2) + (c < 2 ? middle : right);
  return out + "\n";
}

// Words in lines of at most `width` characters; a word that is longer ends in an ellipsis.
std::vector<std::string> Wrap(const std::string& text, int width) {
  std::vector<std::string> lines;
  size_t used = 0;  // characters of the last line
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    size_t length = word.size();
    if (length > static_cast<size_t>(width)) {
      word = word.substr(0, width - 1) + "…";
      length = width;
    }
    if (!lines.empty() && used + 1 + length <= static_cast<size_t>(width)) {
      lines.back() += " " + word;
      used += 1 + length;
    } else {
      lines.push_back(word);
      used = length;
    }
    at = end + 1;
  }
  if (lines.empty()) lines.push_back("");
  return lines;
}

// Characters on the screen: the ellipsis is one of three bytes.
int Columns(const std::string& s) { return static_cast<int>(s.size()) - (s.ends_with("…") ? 2 : 0); }

std::string Row(const std::string (&cells)[3], const char* bar) {
  std::vector<std::string> lines[3];
  size_t height = 0;
  for (int c = 0; c < 3; ++c) {
    lines[c] = Wrap(cells[c], kWidths[c]);
    height = std::max(height, lines[c].size());
  }
  std::string out;
  for (size_t i = 0; i < height; ++i) {
    for (int c = 0; c < 3; ++c) {
      const std::string text = i < lines[c].size() ? lines[c][i] : "";
      const std::string space = Repeat(" ", kWidths[c] - Columns(text));
      out += std::string(bar) + " " + (c == 2 ? space + text : text + space) + " ";
    }
    out += std::string(bar) + "\n";
  }
  return out;
}

std::string Thousands(int64_t n) {
  std::string s = std::to_string(n);
  for (int i = static_cast<int>(s.size()) - 3; i > 0; i -= 3) s.insert(i, ",");
  return s;
}

std::string ShapeText(const std::optional<Shape>& shape) {
  return shape && shape->known_rank() ? shape->ToTuple() : "?";
}

struct Count {
  int64_t parameters = 0, bytes = 0;
  void Add(const std::vector<Variable>& variables) {
    for (const Variable& v : variables) {
      const int64_t n = v.shape().num_elements().value_or(0);
      parameters += n;
      bytes += n * static_cast<int64_t>(DTypeSize(v.dtype()));
    }
  }
  std::string ToString() const {
    static constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB", "PB"};
    double size = static_cast<double>(bytes);
    int unit = 0;
    for (; size >= 1024 && unit < 5; ++unit) size /= 1024;
    char text[64];
    std::snprintf(text, sizeof text, "%.2f %s", size, kUnits[unit]);
    return Thousands(parameters) + " (" + text + ")";
  }
};

}  // namespace

std::string Model::Summary() const {
  std::string out = "Model: \"" + name() + "\"\n" + Rule("┏", "━", "┳", "┓") + Row({"Layer (type)", "Output Shape", "Param #"}, "┃");
  out += Rule("┡", "━", "╇", "┩");
  bool first = true;
  for (const auto& layer : layers()) {
    if (!std::exchange(first, false)) out += Rule("├", "─", "┼", "┤");
    Count count;
    count.Add(layer->variables());
    out += Row({layer->name() + " (" + layer->class_name() + ")", ShapeText(layer->output_shape()),
                layer->built() ? Thousands(count.parameters) : "0 (unbuilt)"}, "│");
  }
  out += Rule("└", "─", "┴", "┘");
  Count all, trainable, frozen;
  all.Add(variables());
  trainable.Add(trainable_variables());
  frozen.Add(non_trainable_variables());
  return out + " Total params: " + all.ToString() + "\n Trainable params: " + trainable.ToString() +
         "\n Non-trainable params: " + frozen.ToString() + "\n";
}

}  // namespace tandem::nn
