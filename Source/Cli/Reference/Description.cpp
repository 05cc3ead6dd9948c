#include "Cli/Reference/Description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace earshot::cli {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const auto end = std::min(text.find(separator, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

// Help texts flow: whoever shows them breaks them. A break stays before a choice that is explained, one of a
// placeholder such as "model|best|P".
std::string withoutBreaks(std::string text, const std::string& placeholder) {
    const std::string whole = text;
    const auto words = split(placeholder, '|');
    for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
        const bool explains = std::ranges::any_of(words, [&](const std::string& word) {
            return !word.empty() && whole.compare(at + 1, word.size() + 1, word + ":") == 0;
        });
        if (!explains) text[at] = ' ';
    }
    return text;
}

// The choices of a placeholder such as "auto|crop|repeat" or "[safetensors|npy]". Words in capitals stand for
// other values.
std::vector<std::string> choicesOf(std::string placeholder) {
    std::erase_if(placeholder, [](char c) { return c == '[' || c == ']'; });
    if (placeholder.find('|') == std::string::npos) return {};
    std::vector<std::string> words = split(placeholder, '|');
    std::erase_if(words, [](const std::string& word) {
        return word.empty() || std::isupper(static_cast<unsigned char>(word.front())) != 0;
    });
    return words;
}

ValueKind kindOf(const std::string& placeholder) {
    if (placeholder.empty()) return ValueKind::none;
    if (placeholder.find("DIR") != std::string::npos) return ValueKind::folder;
    if (placeholder == "M") return ValueKind::file; // a model
    for (const char* file : {"FILE", "MODEL", "PATH", "NAMES", ".safetensors"})
        if (placeholder.find(file) != std::string::npos) return ValueKind::file;
    return ValueKind::text;
}

// oneOf() in Options.cpp names its validator by the words that it accepts.
std::vector<std::string> wordsOfValidator(const CLI::Option& option) {
    try {
        // CLI11 has no constant access to validators.
        return choicesOf(const_cast<CLI::Option&>(option).get_validator(0)->get_name());
    } catch (const CLI::OptionNotFound&) { // it has none
        return {};
    }
}

OptionDescription describe(const CLI::Option& option) {
    OptionDescription described;
    described.positional = option.get_positional();
    for (const auto& name : option.get_snames()) described.names.push_back("-" + name);
    for (const auto& name : option.get_lnames()) described.names.push_back("--" + name);
    // A type name ends in the descriptions of its validators, after a colon.
    if (option.get_items_expected_max() > 0) described.value = split(option.get_type_name(), ':').front();
    if (described.positional && described.value.empty()) described.value = option.get_name(true);
    if (described.positional) described.names = {described.value};
    described.choices = choicesOf(described.value);
    if (described.choices.empty()) described.choices = wordsOfValidator(option);
    described.kind = described.choices.empty() ? kindOf(described.value) : ValueKind::choice;
    described.help = withoutBreaks(option.get_description(), described.value);
    described.required = option.get_required();
    described.many = option.get_items_expected_max() > 1;
    described.group = option.get_group();
    return described;
}

// The names of those options of the command that are in the set, in the order of the command.
std::string namesIn(const std::set<CLI::Option*>& set, const std::vector<const CLI::Option*>& options) {
    std::vector<std::string> names;
    for (const CLI::Option* option : options)
        if (set.contains(const_cast<CLI::Option*>(option))) names.push_back(option->get_name());
    return fmt::format("{}", fmt::join(names, ", "));
}

// What the parser demands of an option, in words.
std::vector<std::string> demands(const CLI::Option& option, const std::vector<const CLI::Option*>& options) {
    std::vector<std::string> texts;
    if (option.get_required()) texts.emplace_back("Required");
    if (!option.get_needs().empty()) texts.push_back("Needs " + namesIn(option.get_needs(), options));
    if (!option.get_excludes().empty())
        texts.push_back("Not with " + namesIn(option.get_excludes(), options));
    return texts;
}

} // namespace

CommandDescription describe(const CLI::App& command) {
    CommandDescription described;
    described.name = command.get_name();
    described.summary = command.get_description();
    described.notes = command.get_footer();
    const auto options =
        command.get_options([](const CLI::Option* option) { return !option->get_group().empty(); });
    for (const CLI::Option* option : options) {
        OptionDescription& added = described.options.emplace_back(describe(*option));
        for (const std::string& demand : demands(*option, options))
            added.help += (added.help.find('\n') == std::string::npos ? ". " : "\n") + demand;
    }
    for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
        described.commands.push_back(describe(*sub));
    return described;
}

} // namespace earshot::cli
