// Runs the tests of the program as its command line says; what main() returns.
#pragma once

namespace earshot::test {

int runTests(int argc, char* argv[]);

} // namespace earshot::test
