#include "Cli/Reference/ManPage.h"

#include "Core/Base/Version.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <sstream>

namespace earshot::cli {

namespace {

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c == '\\') {
            result += "\\e";
        } else if (c == '-') {
            result += "\\-";
        } else {
            result += c;
        }
    }
    // A line that begins with one of these would be a macro.
    if (!result.empty() && (result.front() == '.' || result.front() == '\'')) result.insert(0, "\\&");
    return result;
}

std::string capitals(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) {
        return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    });
    return text;
}

std::string pageOf(const CommandDescription& program, const CommandDescription& command) {
    return &program == &command ? program.name : program.name + "-" + command.name;
}

// ".TP", the option's names in bold with its value in italics, and what it does.
std::string entry(const OptionDescription& option) {
    std::vector<std::string> names;
    for (const auto& name : option.names) names.push_back("\\fB" + escaped(name) + "\\fR");
    std::string line = option.positional ? "\\fI" + escaped(option.value) + "\\fR"
                                         : fmt::format("{}", fmt::join(names, ", "));
    if (!option.positional && !option.value.empty()) line += " \\fI" + escaped(option.value) + "\\fR";
    std::string text = ".TP\n" + line + "\n";
    std::istringstream lines(option.help);
    for (std::string help; std::getline(lines, help);)
        text += (text.ends_with(line + "\n") ? "" : ".br\n") + escaped(help) + "\n";
    return text;
}

// Keeps the lines as they are.
std::string verbatim(const std::string& text) {
    std::string result = ".nf\n";
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        result += (line.empty() ? "\\&" : escaped(line)) + "\n";
    return result + ".fi\n";
}

} // namespace

std::string manPage(const CommandDescription& program, const CommandDescription& command) {
    const bool whole = &program == &command;
    const std::string page = pageOf(program, command);
    // The words after the dash have no full stop: they are a line of apropos(1).
    std::string summary = command.summary;
    if (summary.ends_with('.')) summary.pop_back();
    std::string text =
        fmt::format(".TH {} 1 \"\" \"Earshot {}\" \"User Commands\"\n", capitals(escaped(page)), version());
    text += ".SH NAME\n" + escaped(page) + " \\- " + escaped(summary) + "\n.SH SYNOPSIS\n";
    text += fmt::format("\\fB{}\\fR {}\n", whole ? program.name : program.name + " " + command.name,
                        whole ? "\\fICOMMAND\\fR [options]" : "[options]");
    for (const auto& option : command.options)
        if (option.positional) {
            const std::string name = "\\fI" + escaped(option.value) + "\\fR" + (option.many ? "..." : "");
            text += (option.required ? name : "[" + name + "]") + "\n";
        }
    if (whole) {
        text += ".SH COMMANDS\n";
        for (const auto& sub : command.commands)
            text += ".TP\n\\fB" + sub.name + "\\fR\n" + escaped(sub.summary) + "\n";
    }
    std::vector<std::string> groups;
    for (const auto& option : command.options)
        if (std::ranges::count(groups, option.group) == 0) groups.push_back(option.group);
    for (const auto& group : groups) {
        text += ".SH \"" + capitals(escaped(group)) + "\"\n";
        for (const auto& option : command.options)
            if (option.group == group) text += entry(option);
    }
    if (!command.notes.empty()) text += ".SH NOTES\n" + verbatim(command.notes);
    text += ".SH \"SEE ALSO\"\n";
    std::vector<std::string> others;
    if (!whole) others.push_back("\\fB" + program.name + "\\fR(1)");
    for (const auto& sub : program.commands)
        if (&sub != &command) others.push_back("\\fB" + escaped(pageOf(program, sub)) + "\\fR(1)");
    return text + fmt::format("{}", fmt::join(others, ",\n")) + "\n";
}

} // namespace earshot::cli
