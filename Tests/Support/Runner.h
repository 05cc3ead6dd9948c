// Runs the tests that the command line selects. Returns the exit code of main(): 4 if every test was skipped
// (Support/Skip.h), which SKIP_RETURN_CODE tells CTest.
#pragma once

namespace earshot::test {

int runTests(int argc, char* argv[]);

} // namespace earshot::test
