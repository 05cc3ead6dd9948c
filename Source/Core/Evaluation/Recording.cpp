#include "Core/Evaluation/Recording.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace earshot::evaluation {

namespace {

double share(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

bool earlier(const Annotation& a, const Annotation& b) {
    return std::tie(a.onset, a.label, a.offset) < std::tie(b.onset, b.label, b.offset);
}

} // namespace

std::vector<Annotation> joinOverlaps(std::vector<Annotation> annotations, double gap) {
    std::ranges::sort(annotations, earlier);
    std::vector<Annotation> joined;
    std::map<int, std::size_t> last; // by label, in `joined`
    for (const Annotation& annotation : annotations) {
        const auto [previous, first] = last.try_emplace(annotation.label, joined.size());
        if (!first) {
            double& offset = joined[previous->second].offset;
            const double apart = annotation.onset - offset;
            if (apart <= secondsTolerance || apart < gap - secondsTolerance) {
                offset = std::max(offset, annotation.offset);
                continue;
            }
        }
        previous->second = joined.size();
        joined.push_back(annotation);
    }
    return joined;
}

void annotate(Scored& recording, std::vector<Annotation> annotations) {
    recording.annotations = joinOverlaps(std::move(annotations));
    recording.strong = true;
    recording.labels.clear();
    for (const Annotation& annotation : recording.annotations) recording.labels.push_back(annotation.label);
    std::ranges::sort(recording.labels);
    recording.labels.erase(std::unique(recording.labels.begin(), recording.labels.end()),
                           recording.labels.end());
    recording.unjoined = recording.annotations;
}

void joinPauses(Scored& recording, double gap) {
    recording.annotations = joinOverlaps(recording.unjoined, gap);
}

std::vector<Annotation> ofClass(std::span<const Annotation> annotations, int label) {
    std::vector<Annotation> found;
    for (const Annotation& annotation : annotations)
        if (annotation.label == label) found.push_back(annotation);
    std::ranges::stable_sort(found, {}, &Annotation::onset);
    return found;
}

double Counts::precision() const { return share(truePositives, truePositives + falsePositives); }
double Counts::recall() const { return share(truePositives, truePositives + falseNegatives); }
double Counts::f1() const {
    return share(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives);
}

Counts& Counts::operator+=(const Counts& other) {
    truePositives += other.truePositives;
    falsePositives += other.falsePositives;
    falseNegatives += other.falseNegatives;
    return *this;
}

Counts total(std::span<const Counts> perClass) {
    Counts sum;
    for (const Counts& counts : perClass) sum += counts;
    return sum;
}

double Errors::rate() const {
    if (annotated == 0) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(substitutions + deletions + insertions) / static_cast<double>(annotated);
}

Errors& Errors::operator+=(const Errors& other) {
    substitutions += other.substitutions;
    deletions += other.deletions;
    insertions += other.insertions;
    annotated += other.annotated;
    return *this;
}

double macroF1(std::span<const Counts> perClass) {
    double sum = 0.0;
    int annotated = 0;
    for (const Counts& counts : perClass) {
        if (counts.annotated() == 0) continue;
        sum += counts.f1();
        ++annotated;
    }
    return annotated > 0 ? sum / annotated : 0.0;
}

} // namespace earshot::evaluation
