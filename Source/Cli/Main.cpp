#include "Cli/Program.h"

int main(int argc, char* argv[]) { return earshot::cli::runProgram(argc, argv); }
