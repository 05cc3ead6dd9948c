#include "Cli/OptionChecks.h"

#include "Cli/Output/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace earshot::cli {

namespace {

// `typeName` is shown in the help.
template <typename Accept>
CLI::Validator numberCheck(const std::string& typeName, const std::string& expected, Accept accept) {
    return CLI::Validator(
        [expected, accept](std::string& text) {
            const auto value = parseNumber(text);
            return value && accept(*value) ? std::string() : fmt::format("'{}' is not {}", text, expected);
        },
        typeName);
}

} // namespace

CLI::Validator numberBetween(double low, double high, const std::string& what) {
    return numberCheck("", fmt::format("{} from {} to {}", what, low, high),
                       [=](double value) { return value >= low && value <= high; });
}

CLI::Validator wholeNumberBetween(int low, int high, const std::string& what) {
    return numberCheck("", fmt::format("{} from {} to {}", what, low, high), [=](double value) {
        return value >= low && value <= high && value == std::floor(value);
    });
}

CLI::Validator oddNumberUpTo(int high) {
    return numberCheck("", fmt::format("an odd number from 1 to {}", high), [=](double value) {
        return value >= 1 && value <= high && std::fmod(value, 2.0) == 1.0;
    });
}

CLI::Validator wordOrProbability(const std::vector<std::string>& words) {
    return CLI::Validator(
        [words](std::string& text) {
            const auto value = parseNumber(text);
            if (std::ranges::count(words, text) > 0 || (value && *value >= 0.0 && *value <= 1.0))
                return std::string();
            return fmt::format("'{}' is not {} or a probability from 0 to 1", text, fmt::join(words, ", "));
        },
        "");
}

} // namespace earshot::cli
