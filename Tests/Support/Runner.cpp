// Catch2's own code, which takes long to compile: once for all tests.
#include "Support/Runner.h"

#if __has_include(<catch2/catch_session.hpp>)
#include <catch2/catch_session.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif

namespace earshot::test {

int runTests(int argc, char* argv[]) { return Catch::Session().run(argc, argv); }

} // namespace earshot::test
