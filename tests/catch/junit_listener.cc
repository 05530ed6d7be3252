// Writes JUnit XML to $XML_OUTPUT_FILE, where Bazel looks for it: one testcase per TEST_CASE, with its failures.
// Until the last test case ended the file says that the run did not end, so that an early exit counts as an error.
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

  void testRunStarting(const Catch::TestRunInfo& info) override {
    TestEventListenerBase::testRunStarting(info);
    Write(info.name, 1, 0, 1, "    <testcase name=\"the run\"><error>did not end</error></testcase>\n");
  }

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
      if (result.hasExpression()) {
        text << result.getExpressionInMacro() << " expands to " << result.getExpandedExpression();
      }
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
    xml_ << "    <testcase classname=\"" << Escape(stats.testInfo.lineInfo.file) << "\" name=\""
         << Escape(stats.testInfo.name) << "\" time=\"" << timer_.getElapsedSeconds() << "\">";
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
    Write(stats.runInfo.name, tests_, failed_, 0, xml_.str());
  }

 private:
  static void Write(const std::string& name, int tests, int failures, int errors, const std::string& cases) {
    const char* path = std::getenv("XML_OUTPUT_FILE");
    if (path == nullptr) return;
    std::ofstream(path) << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"" << Escape(name)
                        << "\" tests=\"" << tests << "\" failures=\"" << failures << "\" errors=\"" << errors << "\">\n"
                        << cases << "  </testsuite>\n</testsuites>\n";
  }

  std::ostringstream xml_;
  std::vector<std::string> failures_;
  Catch::Timer timer_;
  int tests_ = 0;
  int failed_ = 0;
};

CATCH_REGISTER_LISTENER(JunitListener)

}  // namespace
