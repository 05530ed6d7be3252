// The `tandem` command.
#include <cstdio>
#include <iostream>

#include "tandem.h"
#include "tools/tandem/commands.h"

int main(int argc, char** argv) {
  using namespace tandem;
  CLI::App app("Tandem: a tensor runtime with two modes over one op layer.\nStart with `tandem tour`.", "tandem");
  app.require_subcommand(1);
  app.footer("Each command explains itself: tandem run --help");
  tool::Action chosen;
  tool::AddTour(app, chosen);
  tool::AddRun(app, chosen);
  tool::AddOptimize(app, chosen);
  tool::AddShow(app, chosen);
  tool::AddCheck(app, chosen);
  tool::AddConvert(app, chosen);
  tool::AddOps(app, chosen);
  tool::AddCkpt(app, chosen);
  tool::AddEvents(app, chosen);
  tool::AddBench(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    return chosen();
  } catch (const CLI::ParseError& e) {  // an argument that only the command could judge
    std::cerr << "tandem: " << e.what() << '\n';
    return 2;
  } catch (const Error& e) {
    std::cout << std::flush;
    std::cerr << "tandem: " << CodeName(e.code()) << ": " << e.message() << '\n';
    return 1;
  } catch (const std::exception& e) {
    std::cout << std::flush;
    std::cerr << "tandem: " << e.what() << '\n';
    return 1;
  }
}
