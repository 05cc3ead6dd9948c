// The main of tests that need nothing first.
#include "Support/Runner.h"

int main(int argc, char* argv[]) { return earshot::test::runTests(argc, argv); }
