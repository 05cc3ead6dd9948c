// The `earshot` program: parses the command line, runs one subcommand, and turns every failure into one line
// on standard error and an exit code. Main thread.
#pragma once

namespace earshot::cli {

int runProgram(int argc, const char* const* argv) noexcept;

} // namespace earshot::cli
