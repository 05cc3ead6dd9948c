#include "Cli/Reference/Completions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace earshot::cli {

namespace {

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

// The beginning of a help text, up to its first full stop, colon or semicolon; its choices where it begins
// with one.
std::string brief(const std::string& help, const std::vector<std::string>& choices = {}) {
    constexpr std::size_t most = 72;
    std::string text = help.substr(0, std::min(help.find_first_of(";:(\n"), help.find(". ")));
    while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
    if (std::ranges::count(choices, text) > 0) return fmt::format("{}", fmt::join(choices, ", "));
    if (text.size() > most) text = text.substr(0, text.rfind(' ', most)) + " ...";
    return text;
}

// Puts a character before each of some characters.
std::string escaped(const std::string& text, const std::string& characters, const std::string& by) {
    std::string result;
    for (const char c : text) {
        if (characters.find(c) != std::string::npos) result += by;
        result += c;
    }
    return result;
}

// As one word of a POSIX shell.
std::string quoted(const std::string& text) { return "'" + escaped(text, "'", "'\\'") + "'"; }

std::vector<std::string> optionNames(const CommandDescription& command) {
    std::vector<std::string> names;
    for (const auto& option : command.options)
        if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
    return names;
}

std::vector<std::string> commandNames(const CommandDescription& program) {
    std::vector<std::string> names;
    for (const auto& command : program.commands) names.push_back(command.name);
    return names;
}

std::string bashValue(const OptionDescription& option) {
    switch (option.kind) {
    case ValueKind::choice:
        return "mapfile -t COMPREPLY < <(compgen -W " + quoted(joined(option.choices)) + " -- \"$word\")";
    case ValueKind::folder:
        return "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$word\")";
    case ValueKind::file:
        return "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$word\")";
    default:
        return "COMPREPLY=()";
    }
}

std::string bashCommand(const std::string& key, const CommandDescription& command) {
    std::string text;
    for (const auto& option : command.options) {
        if (option.positional || option.kind == ValueKind::none) continue;
        std::vector<std::string> patterns;
        for (const auto& name : option.names) patterns.push_back(quoted(fmt::format("{} {}", key, name)));
        text += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, " | "), bashValue(option));
    }
    return text;
}

std::string zshOption(const OptionDescription& option) {
    const std::string help = "[" + escaped(brief(option.help, option.choices), "[]:\\", "\\") + "]";
    std::string value;
    const std::string message = ":" + escaped(option.value, "[]:\\", "\\") + ":";
    if (option.kind == ValueKind::choice) value = message + "(" + joined(option.choices) + ")";
    if (option.kind == ValueKind::file) value = message + "_files";
    if (option.kind == ValueKind::folder) value = message + "_files -/";
    if (option.kind == ValueKind::text) value = message + " ";
    if (option.positional) return quoted("*" + (value.empty() ? message + "_files" : value));
    std::string line;
    for (const auto& name : option.names) line += " " + quoted(fmt::format("*{}{}{}", name, help, value));
    return line.substr(1);
}

std::string zshArguments(const CommandDescription& command) {
    std::string text = "_arguments";
    for (const auto& option : command.options) text += " \\\n            " + zshOption(option);
    return text;
}

std::string fishQuoted(const std::string& text) { return "'" + escaped(text, "'\\", "\\") + "'"; }

std::string fishCommand(const std::string& condition, const CommandDescription& command) {
    std::string text;
    for (const auto& option : command.options) {
        if (option.positional) continue;
        std::string line = "complete -c earshot -n " + fishQuoted(condition);
        for (const auto& name : option.names)
            line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        if (option.kind == ValueKind::choice) line += " -x -a " + fishQuoted(joined(option.choices));
        if (option.kind == ValueKind::folder) line += " -x -a '(__fish_complete_directories)'";
        if (option.kind == ValueKind::file) line += " -r -F";
        if (option.kind == ValueKind::text) line += " -x";
        text += line + " -d " + fishQuoted(brief(option.help, option.choices)) + "\n";
    }
    return text;
}

} // namespace

std::string bashCompletion(const CommandDescription& program) {
    std::string text =
        "# bash completion for " + program.name +
        "\n"
        "_earshot() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= i\n"
        "    for ((i = 1; i < COMP_CWORD; ++i)); do\n"
        "        case ${COMP_WORDS[i]} in\n"
        "        " +
        fmt::format("{}", fmt::join(commandNames(program), " | ")) +
        ") command=${COMP_WORDS[i]}; break ;;\n"
        "        esac\n"
        "    done\n"
        "    COMPREPLY=()\n"
        "    case \"$command $before\" in\n";
    for (const auto& command : program.commands) text += bashCommand(command.name, command);
    text += "    esac\n"
            "    local options=" +
            quoted(joined(optionNames(program))) + "\n    case $command in\n";
    for (const auto& command : program.commands)
        text += "    " + command.name + ") options=" + quoted(joined(optionNames(command))) + " ;;\n";
    text += "    esac\n"
            "    if [[ $word == -* ]]; then\n"
            "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
            "    elif [[ -z $command ]]; then\n"
            "        mapfile -t COMPREPLY < <(compgen -W " +
            quoted(joined(commandNames(program))) +
            " -- \"$word\")\n"
            "    else\n"
            "        compopt -o filenames 2>/dev/null\n"
            "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
            "    fi\n"
            "}\n"
            "complete -F _earshot " +
            program.name + "\n";
    return text;
}

std::string zshCompletion(const CommandDescription& program) {
    std::string text = "#compdef " + program.name +
                       "\n"
                       "# zsh completion for " +
                       program.name +
                       "\n"
                       "_earshot() {\n"
                       "    local state line\n"
                       "    local -a commands\n"
                       "    commands=(\n";
    for (const auto& command : program.commands)
        text += "        " + quoted(command.name + ":" + escaped(brief(command.summary), ":", "\\")) + "\n";
    text += "    )\n"
            "    _arguments -C";
    for (const auto& option : program.options)
        if (!option.positional) text += " \\\n        " + zshOption(option);
    text += " \\\n        '1:command:->command' '*::argument:->arguments'\n"
            "    case $state in\n"
            "    command) _describe command commands ;;\n"
            "    arguments)\n"
            "        case $line[1] in\n";
    for (const auto& command : program.commands)
        text += "        " + command.name + ")\n            " + zshArguments(command) + "\n            ;;\n";
    text += "        esac\n"
            "        ;;\n"
            "    esac\n"
            "}\n"
            "_earshot \"$@\"\n";
    return text;
}

std::string fishCompletion(const CommandDescription& program) {
    std::string text = "# fish completion for " + program.name + "\n";
    for (const auto& command : program.commands)
        text += "complete -c earshot -f -n __fish_use_subcommand -a " + command.name + " -d " +
                fishQuoted(brief(command.summary)) + "\n";
    text += fishCommand("__fish_use_subcommand", program);
    for (const auto& command : program.commands)
        text += fishCommand("__fish_seen_subcommand_from " + command.name, command);
    return text;
}

} // namespace earshot::cli
