// The command line as plain data, for --help, man pages and completions. Main thread.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace earshot::cli {

enum class ValueKind { none, text, file, folder, choice };

struct OptionDescription {
    std::vector<std::string> names; // "-h", "--help"; for what has no name, its placeholder: "FILE"
    bool positional = false;
    bool required = false;
    bool many = false; // takes several values
    std::string value; // placeholder: "SECONDS"; empty for a flag
    ValueKind kind = ValueKind::none;
    std::vector<std::string> choices; // of kind choice
    std::string help;                 // one line, and one for each choice that is explained
    std::string group;                // heading
};

struct CommandDescription {
    std::string name; // "earshot" or "analyze"
    std::string summary;
    std::string notes; // examples and the like, with line breaks
    std::vector<OptionDescription> options;
    std::vector<CommandDescription> commands;
};

// Options without a heading are hidden, as in --help.
CommandDescription describe(const CLI::App& command);

} // namespace earshot::cli
