#include "Core/Teaching/LongRecordings.h"

#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>

namespace earshot::teaching {

namespace {

using training::Clip;
using training::LabelledSpan;

std::vector<LabelledSpan> inOrder(std::vector<LabelledSpan> spans) {
    std::ranges::sort(spans, {}, &LabelledSpan::onset);
    return spans;
}

// The clip from this time on, without spans.
Clip stretchFrom(const Clip& clip, double begin) {
    Clip stretch = clip;
    stretch.spans.clear();
    stretch.labels.clear();
    stretch.begin = begin;
    return stretch;
}

void add(Clip& stretch, LabelledSpan span) {
    span.onset -= stretch.begin;
    span.offset -= stretch.begin;
    stretch.spans.push_back(span);
    if (span.label < 0 || std::ranges::binary_search(stretch.labels, span.label)) return;
    stretch.labels.insert(std::ranges::upper_bound(stretch.labels, span.label), span.label);
}

} // namespace

std::vector<Clip> stretchesOf(const Clip& clip, double seconds, std::vector<training::Problem>& problems) {
    if (!clip.strong || clip.spans.empty() || seconds <= maxWholeSeconds) return {clip};
    std::vector<Clip> stretches;
    for (LabelledSpan span : inOrder(clip.spans)) {
        if (span.onset >= seconds) {
            problems.push_back({displayName(clip.file),
                                fmt::format("ends at {:.2f} s, before a sound labelled from {:.2f} s on",
                                            seconds, span.onset),
                                false});
            continue;
        }
        span.offset = std::min(span.offset, seconds);
        const double begin = std::max(0.0, span.onset - contextSeconds);
        if (stretches.empty() || begin > *stretches.back().end) {
            stretches.push_back(stretchFrom(clip, begin));
            stretches.back().end = begin;
        }
        Clip& stretch = stretches.back();
        stretch.end = std::max(*stretch.end, std::min(seconds, span.offset + contextSeconds));
        add(stretch, span);
    }
    return stretches;
}

double labelledSeconds(const Clip& clip, int label, double seconds) {
    if (!clip.strong || clip.spans.empty()) return seconds;
    double sum = 0.0, reached = 0.0;
    for (const LabelledSpan& span : inOrder(clip.spans)) {
        if (span.label != label) continue;
        const double from = std::max(span.onset, reached), to = std::min(span.offset, seconds);
        if (to <= from) continue;
        sum += to - from;
        reached = to;
    }
    return sum;
}

} // namespace earshot::teaching
