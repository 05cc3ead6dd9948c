#include "Cli/Reference/HelpText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace earshot::cli {

namespace {

constexpr std::size_t lineLength = 80;
// Names stand to the left of these columns, and what they mean to the right.
constexpr std::size_t optionColumn = 26;
constexpr std::size_t commandColumn = 12;

// Appends the words of one line of help, broken so that they stay between column `indent` and the end of the
// line. The text stands at column `column`.
void appendWords(std::string& text, const std::string& line, std::size_t column, std::size_t indent) {
    std::istringstream words(line);
    bool first = true;
    for (std::string word; words >> word; first = false) {
        if (!first && column + 1 + word.size() > lineLength) {
            text += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (!first) {
            text += ' ';
            ++column;
        }
        text += word;
        column += word.size();
    }
    text += '\n';
}

// A name at the left and what it means at the right. A name that is too long has a line of its own.
std::string entryText(const std::string& name, const std::string& help, std::size_t textColumn) {
    std::string text = "  " + name;
    if (text.size() + 2 > textColumn) text += '\n';
    text.resize(text.ends_with('\n') ? text.size() + textColumn : textColumn, ' ');
    std::istringstream lines(help);
    // Choices that are explained begin a line each, and what follows stands deeper.
    const std::size_t indent = textColumn + (help.find('\n') == std::string::npos ? 0 : 2);
    bool first = true;
    for (std::string line; std::getline(lines, line); first = false) {
        if (!first) text += std::string(textColumn, ' ');
        appendWords(text, line, textColumn, indent);
    }
    return text;
}

std::string nameText(const OptionDescription& option) {
    if (option.positional) return option.value + (option.many ? "..." : "");
    return fmt::format("{}{}{}", fmt::join(option.names, ", "), option.value.empty() ? "" : " ",
                       option.value);
}

std::string usageText(const CommandDescription& command, const std::string& name) {
    std::string text = "Usage: " + name + (command.commands.empty() ? "" : " COMMAND") + " [OPTIONS]";
    for (const auto& option : command.options)
        if (option.positional)
            text += " " + (option.required ? nameText(option) : "[" + nameText(option) + "]");
    return text + "\n";
}

} // namespace

std::string helpText(const CommandDescription& command, const std::string& name) {
    std::string text = command.summary + "\n" + usageText(command, name);
    std::string arguments, commands;
    std::vector<std::pair<std::string, std::string>> groups; // headings and entries
    for (const auto& option : command.options) {
        const std::string entry = entryText(nameText(option), option.help, optionColumn);
        if (option.positional) {
            arguments += entry;
            continue;
        }
        auto group = std::ranges::find(groups, option.group, [](const auto& known) { return known.first; });
        if (group == groups.end()) group = groups.insert(group, {option.group, {}});
        group->second += entry;
    }
    for (const auto& sub : command.commands) commands += entryText(sub.name, sub.summary, commandColumn);
    groups.insert(groups.begin(), {"Arguments", arguments});
    groups.emplace_back("Commands", commands);
    for (const auto& [heading, entries] : groups)
        if (!entries.empty()) text += fmt::format("\n{}:\n{}", heading, entries);
    if (!command.notes.empty()) text += "\n" + command.notes;
    return text.ends_with('\n') ? text : text + "\n";
}

} // namespace earshot::cli
