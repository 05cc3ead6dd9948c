#include "Cli/Evaluate/EvaluationReport.h"

#include <algorithm>
#include <tuple>

namespace earshot::cli {

std::vector<Mistake> largestMistakes(const EvaluationReport& report,
                                     const std::vector<std::vector<std::int64_t>>& table, std::size_t most) {
    std::vector<Mistake> mistakes;
    const std::size_t classes = std::min(report.labels.size(), table.size());
    for (std::size_t truth = 0; truth < classes; ++truth)
        for (std::size_t heard = 0; heard < classes; ++heard)
            if (truth != heard && table[truth][heard] > 0)
                mistakes.push_back({static_cast<int>(truth), static_cast<int>(heard), table[truth][heard]});
    std::ranges::stable_sort(mistakes, std::ranges::greater{}, &Mistake::count);
    if (mistakes.size() > most) mistakes.resize(most);
    return mistakes;
}

std::vector<int> classesByScore(const EvaluationReport& report) {
    std::vector<int> classes;
    const auto& scores = report.scores.classes;
    for (std::size_t c = 0; c < scores.size(); ++c)
        if (scores[c].averagePrecision || scores[c].segments != evaluation::Counts{})
            classes.push_back(static_cast<int>(c));
    const auto rank = [&](int c) {
        const auto& own = scores[static_cast<std::size_t>(c)];
        return std::tuple(own.looseEvents.f1(), own.averagePrecision.value_or(-1.0));
    };
    std::ranges::stable_sort(classes, std::ranges::greater{}, rank);
    return classes;
}

} // namespace earshot::cli
