// One subcommand of the program: its command-line options, and what it does once they are parsed.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace earshot::cli {

struct Command {
    CLI::App* options = nullptr; // owned by the program's CLI::App
    std::function<int()> run;    // returns an ExitCode; throws earshot::Error or UsageError
};

} // namespace earshot::cli
