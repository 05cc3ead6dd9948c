#include "Core/Evaluation/ClipScores.h"

#include <algorithm>
#include <utility>

namespace earshot::evaluation {

std::vector<float> clipScores(const Scored& recording, int classes, ClipScore score) {
    const auto classCount = static_cast<std::size_t>(classes);
    const std::size_t columns = recording.columns(classes);
    std::vector<double> gathered(classCount, 0.0);
    for (std::size_t i = 0; i < columns; ++i) {
        for (std::size_t c = 0; c < classCount; ++c) {
            const double value = static_cast<double>(recording.probabilities[i * classCount + c]);
            gathered[c] = score == ClipScore::peak ? std::max(gathered[c], value) : gathered[c] + value;
        }
    }
    const double divisor = score == ClipScore::peak ? 1.0 : std::max(1.0, static_cast<double>(columns));
    std::vector<float> scores(classCount);
    std::ranges::transform(gathered, scores.begin(),
                           [&](double value) { return static_cast<float>(value / divisor); });
    return scores;
}

std::optional<double> averagePrecision(std::span<const Scored> recordings, int label, int classes,
                                       std::span<const Scored> others) {
    const auto classCount = static_cast<std::size_t>(classes);
    std::vector<std::pair<float, bool>> ranked; // probability, whether the recording holds the class
    std::int64_t holding = 0;
    const auto add = [&](const Scored& recording) {
        float peak = 0.0f;
        for (std::size_t at = static_cast<std::size_t>(label); at < recording.probabilities.size();
             at += classCount)
            peak = std::max(peak, recording.probabilities[at]);
        const bool holds = std::ranges::binary_search(recording.labels, label);
        holding += holds ? 1 : 0;
        ranked.emplace_back(peak, holds);
    };
    std::ranges::for_each(recordings, add);
    std::ranges::for_each(others, add);
    if (holding == 0) return std::nullopt;
    std::ranges::sort(ranked, [](const auto& a, const auto& b) { return a.first > b.first; });

    double sum = 0.0;
    std::int64_t found = 0;
    for (std::size_t i = 0; i < ranked.size();) {
        std::size_t end = i;
        std::int64_t here = 0;
        for (; end < ranked.size() && ranked[end].first == ranked[i].first; ++end)
            here += ranked[end].second ? 1 : 0;
        found += here;
        sum += static_cast<double>(here) * static_cast<double>(found) / static_cast<double>(end);
        i = end;
    }
    return sum / static_cast<double>(holding);
}

std::vector<int> clipAnswers(std::span<const Scored> recordings, int classes, ClipScore score) {
    const auto counts = [](const Scored& recording) {
        return recording.clip && recording.labels.size() == 1;
    };
    std::vector<int> occurring;
    for (const Scored& recording : recordings)
        if (counts(recording)) occurring.push_back(recording.labels.front());
    std::ranges::sort(occurring);
    occurring.erase(std::unique(occurring.begin(), occurring.end()), occurring.end());

    std::vector<int> answers;
    for (const Scored& recording : recordings) {
        answers.push_back(-1);
        if (!counts(recording)) continue;
        const auto scores = clipScores(recording, classes, score);
        answers.back() = *std::ranges::max_element(
            occurring, {}, [&](int label) { return scores[static_cast<std::size_t>(label)]; });
    }
    return answers;
}

ClipAccuracy clipAccuracy(std::span<const Scored> recordings, int classes, ClipScore score) {
    const auto classCount = static_cast<std::size_t>(classes);
    ClipAccuracy result;
    result.confusion.assign(classCount, std::vector<std::int64_t>(classCount, 0));
    const auto answers = clipAnswers(recordings, classes, score);
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i] < 0) continue;
        const int truth = recordings[i].labels.front();
        ++result.clips;
        result.right += answers[i] == truth ? 1 : 0;
        ++result.confusion[static_cast<std::size_t>(truth)][static_cast<std::size_t>(answers[i])];
    }
    return result;
}

} // namespace earshot::evaluation
