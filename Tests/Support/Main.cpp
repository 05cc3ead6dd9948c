// The main of tests without any preparation.
#include "Support/Runner.h"

int main(int argc, char* argv[]) { return earshot::test::runTests(argc, argv); }
