#include "Cli/Suggestions.h"

#include "Cli/Commands.h"
#include "Cli/Output/Terminal.h"
#include "Core/Audio/FileKinds.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Kept/Activations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>
#include <system_error>

namespace earshot::cli {

namespace {

constexpr std::size_t maxWordLength = 64; // bytes compared; the work grows with the square

bool isOption(const std::string& argument) { return argument.size() > 1 && argument.starts_with('-'); }

bool isModel(const std::filesystem::path& file) {
    constexpr std::array extensions = {".safetensors", ".ckpt", ".pt", ".pth"};
    return std::ranges::find(extensions, lowerCase(file.extension().string())) != extensions.end();
}

// Whether it may be an input of `earshot analyze`: standard input, a recording, a folder, a pattern.
bool isInput(const std::string& argument) {
    std::error_code unknown;
    return argument == "-" || audio::hasAudioExtension(argument) || argument.find('*') != std::string::npos ||
           std::filesystem::exists(argument, unknown);
}

// The command that takes such a file; empty if none is known.
std::string commandFor(const std::string& argument) {
    if (argument.ends_with(detection::suffix(detection::ActivationKind::safetensors))) return "events";
    if (isModel(argument)) return "info";
    return isInput(argument) ? "analyze" : std::string();
}

} // namespace

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string nearestName(std::string_view word, std::span<const std::string> names) {
    constexpr std::size_t shortest = 3; // of a beginning
    const std::string wanted = lowerCase(word.substr(0, maxWordLength));
    std::string nearest;
    std::size_t least = std::max<std::size_t>(1, wanted.size() / 3) + 1;
    for (const std::string& name : names) {
        const bool begins = wanted.size() >= shortest && name.starts_with(wanted);
        const std::size_t distance = begins ? 0 : editDistance(wanted, name);
        if (distance >= std::min(least, name.size())) continue;
        nearest = name;
        least = distance;
    }
    return nearest;
}

std::string missingCommand(std::span<const std::string> arguments, std::span<const std::string> commands) {
    const auto word = std::ranges::find_if_not(arguments, isOption);
    const std::string shown = word == arguments.end() ? std::string() : printable(*word);
    for (const char* each : {"help", "version"})
        if (shown == each) return fmt::format("no command '{0}'; did you mean 'earshot --{0}'?", each);
    std::error_code unknown;
    if (!std::filesystem::exists(shown, unknown))
        if (const auto near = nearestName(shown, commands); !near.empty())
            return fmt::format("no command '{}'; did you mean 'earshot {}'?", shown, near);
    for (const std::string& argument : arguments)
        if (const auto command = commandFor(argument); !command.empty() && !isOption(argument))
            return fmt::format("{} is no command; did you mean: earshot {} {}", printable(argument), command,
                               printable(shellWord(argument)));
    return fmt::format("no command '{}'; the commands are {}", shown, fmt::join(commands, ", "));
}

} // namespace earshot::cli
