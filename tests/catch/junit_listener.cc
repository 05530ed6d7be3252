// Writes JUnit XML to $XML_OUTPUT_FILE, where Bazel looks for it: one testcase per TEST_CASE, with its failures.
// A binary that dies before its last test case leaves no file; Bazel then writes one that counts as an error.
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string Escape(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\n':
      case '\t': escaped += c; break;
      default: escaped += static_cast<unsigned char>(c) < 0x20 ? '?' : c;   // XML 1.0 has no way to write the others
    }
  }
  return escaped;
}

class JunitListener : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    TestEventListenerBase::testCaseStarting(info);
    failures_.clear();
    timer_.start();
  }

  bool assertionEnded(const Catch::AssertionStats& stats) override {
    const Catch::AssertionResult& result = stats.assertionResult;
    if (!result.isOk()) {
      std::ostringstream text;
      text << result.getSourceInfo() << ": ";
      if (result.hasExpression()) text << result.getExpressionInMacro() << " expands to " << result.getExpandedExpression();
      text << result.getMessage();
      for (const Catch::MessageInfo& message : stats.infoMessages) text << '\n' << message.message;
      failures_.push_back(text.str());
    }
    return false;
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    ++tests_;
    const bool failed = !stats.totals.assertions.allOk();
    failed_ += failed;
    xml_ << "    <testcase classname=\"" << Escape(stats.testInfo.lineInfo.file) << "\" name=\"" << Escape(stats.testInfo.name)
         << "\" time=\"" << timer_.getElapsedSeconds() << "\">";
    if (failed) {
      xml_ << "<failure>";
      for (const std::string& failure : failures_) xml_ << Escape(failure) << '\n';
      xml_ << "</failure>";
    }
    xml_ << "</testcase>\n";
    TestEventListenerBase::testCaseEnded(stats);
  }

  void testRunEnded(const Catch::TestRunStats& stats) override {
    TestEventListenerBase::testRunEnded(stats);
    const char* path = std::getenv("XML_OUTPUT_FILE");
    if (path == nullptr) return;
    const std::string name = Escape(stats.runInfo.name);
    std::ofstream(path) << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"" << name << "\" tests=\""
                        << tests_ << "\" failures=\"" << failed_ << "\" errors=\"0\">\n"
                        << xml_.str() << "  </testsuite>\n</testsuites>\n";
  }

 private:
  std::ostringstream xml_;
  std::vector<std::string> failures_;
  Catch::Timer timer_;
  int tests_ = 0;
  int failed_ = 0;
};

CATCH_REGISTER_LISTENER(JunitListener)

}  // namespace
