// `tandem tour`: the product's main job on real digits, told step by step. examples/tour.cc is the same program without
// the telling.
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "core/tensor_compare.h"
#include "examples/digits.h"
#include "examples/network.h"
#include "graph/picture.h"
#include "tools/tandem/commands.h"

namespace tandem::tool {
namespace {

using Clock = std::chrono::steady_clock;

double Seconds(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }

std::string Format(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// The digits lie beside the program under Bazel, in the working directory of a checkout, or where --data says.
std::string FindData(const std::string& given) {
  std::vector<std::string> candidates = {given, "examples/data"};
  if (const char* runfiles = std::getenv("RUNFILES_DIR")) candidates.push_back(std::string(runfiles) + "/tandem/examples/data");
  std::error_code ignored;
  candidates.push_back(std::filesystem::read_symlink("/proc/self/exe", ignored).string() + ".runfiles/tandem/examples/data");
  for (const std::string& folder : candidates)
    if (!folder.empty() && std::filesystem::exists(folder + "/mnist5k-train-images-idx3-ubyte.gz")) return folder;
  throw Error(Code::kNotFound, "the digits (mnist5k-*.gz) are not in examples/data; say where they are with --data");
}

// `bazel run` starts programs in a folder of its own: files belong where the user is.
std::string UserPath(const std::string& path) {
  const char* user = std::getenv("BUILD_WORKING_DIRECTORY");
  return (std::filesystem::path(user ? user : ".") / path).lexically_normal().string();
}

class Tour {
 public:
  Tour(const std::string& data, const std::string& out, int epochs)
      : folder_(UserPath(out)), epochs_(epochs), train_(Digits(data, "train")) {
    std::filesystem::create_directories(folder_);
    const auto [images, labels] = *Digits(data, "test").Batch(10'000).MakeIterator().Next();
    test_images_ = images;
    test_labels_ = labels;
  }

  int Run() {
    for ([[maybe_unused]] auto& digit : train_) ++count_;
    std::cout << "Tandem: " << count_ << " digits to learn from, " << test_images_.dim(0) << " held out\n\n";
    Train();
    const Tensor eager = TimedEager();
    Record();
    const bool equal = Classify(eager);
    const float accuracy = HostFunction();
    std::cout << "\nTry next:\n"
              << "  tandem show " << model_ << "\n"
              << "  tandem optimize " << model_ << " --fetch logits:0 --explain\n"
              << "  tandem ops Conv2D\n"
              << "  examples/tour.cc is this program in 60 lines\n\n"
              << "tour: accuracy " << Format("%.3f", accuracy) << ", bits equal " << (equal ? "yes" : "no") << ", " << Format("%.1f s", Seconds(begin_)) << '\n';
    return equal && accuracy >= 0.95f ? 0 : 1;
  }

 private:
  void Train() {
    std::cout << "1. Eager training: ops run as they are called, a tape remembers them\n";
    constexpr int64_t kBatch = 32;
    const int64_t steps = count_ / kBatch;
    const auto train = train_.Shuffle(count_, {.seed = 2}).Batch(kBatch, {.drop_remainder = true});
    const bool terminal = isatty(STDOUT_FILENO);
    const auto begin = Clock::now();
    std::vector<Variable> variables = network_.variables();
    for (int epoch = 0; epoch < epochs_; ++epoch) {
      Tensor total = 0.;
      for (auto [step, batch] : Enumerate(train)) {
        auto& [images, labels] = batch;
        GradientTape tape;
        const Tensor loss = Mean(SparseSoftmaxCrossEntropyWithLogits(network_(images), labels).loss);
        const Tensors gradients = tape.Gradient(loss, variables);
        for (size_t i = 0; i < variables.size(); ++i) variables[i].AssignSub(gradients[i] * .1);
        total += loss;
        if (terminal && step % 8 == 0) {
          const double done = static_cast<double>(epoch * steps + step + 1) / static_cast<double>(epochs_ * steps);
          std::cout << "\r   epoch " << epoch + 1 << '/' << epochs_ << Format("  %5.1f %%", 100 * done)
                    << Format("  %6.0f images/s", static_cast<double>((epoch * steps + step + 1) * kBatch) / Seconds(begin))
                    << Format("  %4.1f s left ", Seconds(begin) * (1 - done) / done) << std::flush;
        }
      }
      std::cout << (terminal ? "\r" : "") << "   epoch " << epoch + 1 << '/' << epochs_ << ": loss "
                << Format("%.4f", total.item<float>() / static_cast<double>(steps))
                << Format(", %6.0f images/s                    \n", static_cast<double>((epoch + 1) * steps * kBatch) / Seconds(begin)) << std::flush;
    }
  }

  Tensor TimedEager() {
    Tensor logits = network_(test_images_);
    const auto begin = Clock::now();
    logits = network_(test_images_);
    eager_ms_ = 1e3 * Seconds(begin);
    return logits;
  }

  void Record() {
    Graph graph;
    {
      GraphScope scope(graph);
      const Tensor images = Placeholder(kFloat32, {-1, 28, 28, 1}, "images");
      Identity(ArgMax(Identity(network_(images), "logits"), 1), "classes");
    }
    model_ = (std::filesystem::path(folder_) / "model.pb").string();
    graph.Freeze().Save(model_);
    std::cout << "\n2. The same function, called under a GraphScope, records a graph: " << graph.num_nodes() << " nodes, saved frozen\n   "
              << model_ << " (" << std::filesystem::file_size(model_) / 1024 << " kB, a TensorFlow GraphDef)\n";
  }

  bool Classify(const Tensor& eager) {
    loaded_ = Graph::Load(model_);
    session_ = std::make_unique<Session>(loaded_);
    Session plain(loaded_, {.level = OptLevel::kO0});
    const ExecutableInfo info = session_->Explain({"images"}, {"logits"});
    std::cout << "\n3. A fresh Session loads the file and optimises it: " << info.nodes_before << " nodes before, " << info.nodes_after << " after\n";
    for (size_t at = 0; at < info.report.size();) {
      const size_t end = info.report.find('\n', at);
      std::cout << "   " << info.report.substr(at, end - at) << '\n';
      at = end + 1;
    }
    const std::string picture = (std::filesystem::path(folder_) / "model.svg").string(), after = (std::filesystem::path(folder_) / "optimised.svg").string();
    std::ofstream(picture) << ToSvg(loaded_);
    std::ofstream(after) << ToSvg(info.graph);
    std::cout << "   pictures: " << picture << ", " << after << '\n';

    double plain_ms = 0, optimised_ms = 0;
    const Tensor unoptimised = Timed(plain, &plain_ms), optimised = Timed(*session_, &optimised_ms);
    const std::string with_plain = DifferentBits(eager, unoptimised), with_optimised = DifferentBits(eager, optimised);
    std::cout << "\n4. The held-out digits, classified three ways\n" << Format("   eager              %7.2f ms\n", eager_ms_)
              << Format("   session, plain     %7.2f ms", plain_ms) << (with_plain.empty() ? "  same bits as eager\n" : "  DIFFERS: " + with_plain + "\n")
              << Format("   session, optimised %7.2f ms", optimised_ms) << (with_optimised.empty() ? "  same bits as eager\n" : "  DIFFERS: " + with_optimised + "\n");
    return with_plain.empty() && with_optimised.empty();
  }

  Tensor Timed(Session& session, double* ms) const {
    Tensor logits = session.Run({{"images", test_images_}}, "logits");  // plans
    const auto begin = Clock::now();
    logits = session.Run({{"images", test_images_}}, "logits");
    *ms = 1e3 * Seconds(begin);
    return logits;
  }

  // Eager code called by the graph: it sees values, counts what is right and draws a digit that is not.
  float HostFunction() {
    Tensor share;
    {
      GraphScope scope(loaded_);
      share = EagerFunc("judge", [this](const Tensor& classes) {
        const Tensor right = Cast(classes, kInt32) == test_labels_;
        DrawFirstWrong(classes, right);
        return Mean(Cast(right, kFloat32));
      }, {loaded_.Find("classes")}, kFloat32);
    }
    std::cout << "\n5. A host function inside the graph judges the classes\n";
    const float accuracy = session_->Run({{"images", test_images_}}, share).item<float>();
    std::cout << Format("   %.1f %% right\n", 100 * accuracy);
    return accuracy;
  }

  void DrawFirstWrong(const Tensor& classes, const Tensor& right) const {
    const std::vector<bool> ok = right.ToVector<bool>();
    const auto wrong = static_cast<int64_t>(std::find(ok.begin(), ok.end(), false) - ok.begin());
    if (wrong == static_cast<int64_t>(ok.size())) return;
    std::cout << "   digit " << wrong << " is a " << test_labels_[wrong].item<int>() << ", taken for a " << classes[wrong].item<int>() << ":\n";
    const Tensor image = test_images_[wrong];
    const std::span<const float> pixels = image.data<float>();
    for (int y = 3; y < 26; y += 2) {
      std::cout << "     ";
      for (int x = 2; x < 27; ++x) std::cout << " .:*#"[std::clamp(static_cast<int>(4 * std::max(pixels[y * 28 + x], pixels[(y + 1) * 28 + x]) + .5f), 0, 4)];
      std::cout << '\n';
    }
  }

  const Clock::time_point begin_ = Clock::now();
  const std::string folder_;
  const int epochs_;
  const data::Dataset<2> train_;
  int64_t count_ = 0;  // of digits to train with
  Tensor test_images_, test_labels_;
  const Network network_;
  double eager_ms_ = 0;
  std::string model_;
  Graph loaded_;
  std::unique_ptr<Session> session_;
};

}  // namespace

void AddTour(CLI::App& app, Action& chosen) {
  struct Arguments {
    std::string data, out = "tandem-tour";
    int epochs = 8;
  };
  auto a = std::make_shared<Arguments>();
  CLI::App* tour = app.add_subcommand("tour", "Trains, records, optimises, saves, loads and classifies real digits, in under a minute");
  tour->add_option("--data", a->data, "Folder of the digits (default: those shipped in examples/data)");
  tour->add_option("--out", a->out, "Folder for model.pb and the pictures (default: tandem-tour)");
  tour->add_option("--epochs", a->epochs, "Passes over the training digits")->check(CLI::Range(1, 1000));
  tour->callback([a, &chosen] { chosen = [a] { return Tour(FindData(a->data), a->out, a->epochs).Run(); }; });
}

}  // namespace tandem::tool
