// Catch2's own main, compiled here so that --config=tsan can build it without signal handlers.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
