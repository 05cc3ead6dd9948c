// Runs the tests of the program as its command line says; what main() returns. 77 where every test that was
// run was skipped (Support/Skip.h), as CTest is told by SKIP_RETURN_CODE.
#pragma once

namespace earshot::test {

int runTests(int argc, char* argv[]);

} // namespace earshot::test
