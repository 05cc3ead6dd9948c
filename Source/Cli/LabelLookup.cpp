#include "Cli/LabelLookup.h"

#include "Cli/ExitCode.h"
#include "Cli/Output/Text.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace earshot::cli {

namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Insertions, deletions and replacements that turn one into the other (Levenshtein).
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

// Names that hold the text come first, then those a few slips of the finger away.
std::string suggestions(const detection::Labels& labels, std::string_view name) {
    constexpr std::size_t count = 3;
    constexpr std::size_t longest = 64; // bytes compared; the work grows with the square
    const std::string wanted = lowerCase(trimmed(name)).substr(0, longest);
    std::vector<std::size_t> distance(labels.names().size());
    for (std::size_t i = 0; i < labels.names().size(); ++i) {
        const std::string label = lowerCase(labels.names()[i]).substr(0, longest);
        const bool holds = !wanted.empty() && label.find(wanted) != std::string::npos;
        distance[i] = holds ? 0 : editDistance(wanted, label);
    }
    std::vector<std::size_t> order(labels.names().size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return distance[a] < distance[b]; });
    std::string text;
    for (std::size_t i = 0; i < std::min(count, order.size()); ++i)
        text += (i == 0 ? "'" : ", '") + labels.names()[order[i]] + "'";
    return text;
}

[[noreturn]] void unknown(const detection::Labels& labels, std::string_view name) {
    throw UsageError("the model knows no sound '" + std::string(trimmed(name)) +
                     "'; nearest: " + suggestions(labels, name) + " ('earshot info' lists all)");
}

} // namespace

int findLabel(const detection::Labels& labels, std::string_view name) {
    const auto found = labels.find(trimmed(name));
    if (!found) unknown(labels, name);
    return *found;
}

std::vector<int> findLabels(const detection::Labels& labels, std::string_view list) {
    std::vector<int> classes;
    std::size_t begin = 0;
    while (begin <= list.size()) {
        std::size_t end = list.size();
        std::optional<int> found;
        while (!(found = labels.find(trimmed(list.substr(begin, end - begin))))) {
            const std::size_t comma = end > begin ? list.rfind(',', end - 1) : std::string_view::npos;
            if (comma == std::string_view::npos || comma < begin)
                unknown(labels, list.substr(begin, end - begin));
            end = comma;
        }
        classes.push_back(*found);
        begin = end + 1;
    }
    return classes;
}

} // namespace earshot::cli
