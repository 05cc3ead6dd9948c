#include "Cli/Reference/Description.h"

#include <algorithm>
#include <cctype>

namespace earshot::cli {

namespace {

// Help texts are broken into lines for --help. A break stays before a choice that is explained.
std::string withoutBreaks(std::string text, const std::vector<std::string>& choices) {
    const std::string whole = text;
    for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
        const bool explains = std::ranges::any_of(choices, [&](const std::string& choice) {
            return whole.compare(at + 1, choice.size() + 1, choice + ":") == 0;
        });
        if (!explains) text[at] = ' ';
    }
    return text;
}

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
    described.help = withoutBreaks(option.get_description(), described.choices);
    described.group = option.get_group();
    return described;
}

} // namespace

CommandDescription describe(const CLI::App& command) {
    CommandDescription described;
    described.name = command.get_name();
    described.summary = withoutBreaks(command.get_description(), {});
    described.notes = command.get_footer();
    for (const CLI::Option* option : command.get_options([](const CLI::Option*) { return true; }))
        if (!option->get_group().empty()) described.options.push_back(describe(*option));
    for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; }))
        described.commands.push_back(describe(*sub));
    return described;
}

} // namespace earshot::cli
