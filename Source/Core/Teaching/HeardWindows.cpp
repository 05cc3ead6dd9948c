#include "Core/Teaching/HeardWindows.h"

#include "Core/Detection/Events/Events.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <span>
#include <utility>

namespace earshot::teaching {

namespace {

constexpr int maxFolds = 5;
// Of trained rows. With several examples a larger decay finds as much and is wrong less often; with a single
// one it finds less (Tests/Benchmark/few_examples.py).
double decayFor(int examples) { return examples > 1 ? 0.1 : 0.03; }

float thresholdLogit() {
    return std::log(detection::defaultThreshold / (1.0f - detection::defaultThreshold));
}

// The steps of all windows, for one sound.
struct Steps {
    std::vector<float> inputs, sounds, weights;
    std::vector<const HeardWindow*> windows; // of each step

    RowSteps view(std::int64_t width) const { return {width, inputs, sounds, weights}; }
    bool canFit() const {
        const auto sounding = std::ranges::count_if(sounds, [](float target) { return target > 0.5f; });
        return sounding > 0 && sounding < std::ssize(sounds);
    }
};

// Leaves out a fold's buckets and, if something is left out, every second window without examples. Of the
// steps in which the sound is silent, every second one is enough: neighbours are much alike.
Steps stepsOf(const HeardWindows& heard, std::size_t sound, int fold, int folds) {
    Steps steps;
    std::size_t others = 0;
    for (const HeardWindow& window : heard.windows) {
        if (window.bucket < 0 ? fold >= 0 && others++ % 2 == 1 : fold >= 0 && window.bucket % folds == fold)
            continue;
        const std::size_t count = window.sounds.size() / heard.sounds;
        for (std::size_t step = 0; step < count; ++step) {
            const float target = window.sounds[step * heard.sounds + sound];
            if (target < 0.5f && step % 2 == 1) continue;
            const auto from = window.inputs.begin() + static_cast<std::ptrdiff_t>(step) * heard.width;
            steps.inputs.insert(steps.inputs.end(), from, from + heard.width);
            steps.sounds.push_back(target);
            steps.weights.push_back(1.0f);
            steps.windows.push_back(&window);
        }
    }
    return steps;
}

Steps allStepsOf(const HeardWindows& heard, std::size_t sound) { return stepsOf(heard, sound, -1, 1); }

ClassRow fitTo(Steps steps, const HeardWindows& heard, std::size_t sound) {
    const auto width = heard.width;
    const auto make = [&] {
        const auto view = steps.view(width);
        auto row = heard.kind == RowKind::prototype ? prototypeRow(view)
                                                    : trainedRow(view, decayFor(heard.examples[sound]));
        placeThreshold(row, view, detection::defaultThreshold);
        return row;
    };
    auto row = make();
    // The same sound may be heard again beside the marked stretch: a dog that barks thrice is marked once.
    bool changed = false;
    for (std::size_t i = 0; i < steps.sounds.size(); ++i) {
        if (!steps.windows[i]->plain || steps.sounds[i] > 0.5f) continue;
        const auto inputs =
            std::span(steps.inputs)
                .subspan(i * static_cast<std::size_t>(width), static_cast<std::size_t>(width));
        if (row.logit(inputs) < thresholdLogit()) continue;
        steps.weights[i] = 0.0f;
        changed = true;
    }
    return changed ? make() : row;
}

// Counts how often the sound is found in windows that its row was not fitted to, and how often it is found
// where it does not sound.
struct Tally {
    int times = 0, found = 0, alarms = 0;
    double silentSeconds = 0.0;

    void count(const HeardWindows& heard, std::size_t sound, const ClassRow& row, const HeardWindow& window);
};

void Tally::count(const HeardWindows& heard, std::size_t sound, const ClassRow& row,
                  const HeardWindow& window) {
    const std::size_t steps = window.sounds.size() / heard.sounds;
    const auto beside = static_cast<std::ptrdiff_t>(std::ceil(0.4 / heard.secondsPerStep));
    std::vector<bool> above(steps), near(steps);
    const auto isOn = [&](std::size_t step) { return window.sounds[step * heard.sounds + sound] > 0.5f; };
    for (std::size_t step = 0; step < steps; ++step) {
        const auto inputs =
            std::span(window.inputs)
                .subspan(step * static_cast<std::size_t>(heard.width), static_cast<std::size_t>(heard.width));
        above[step] = row.logit(inputs) >= thresholdLogit();
        if (!isOn(step)) continue;
        const auto at = static_cast<std::ptrdiff_t>(step);
        for (auto i = std::max<std::ptrdiff_t>(0, at - beside);
             i < std::min(static_cast<std::ptrdiff_t>(steps), at + beside + 1); ++i)
            near[static_cast<std::size_t>(i)] = true;
    }
    for (std::size_t step = 0; step < steps;) {
        const std::size_t first = step;
        if (isOn(step)) {
            bool any = false;
            for (; step < steps && isOn(step); ++step) any = any || above[step];
            ++times;
            if (any) ++found;
            continue;
        }
        ++step;
        if (near[first] || window.plain) continue;
        silentSeconds += heard.secondsPerStep;
        const bool begins = above[first] && (first == 0 || !above[first - 1] || near[first - 1]);
        if (begins) ++alarms;
    }
}

} // namespace

bool HeardWindows::holds(const HeardWindow& window, std::size_t sound) const {
    for (std::size_t at = sound; at < window.sounds.size(); at += sounds)
        if (window.sounds[at] > 0.5f) return true;
    return false;
}

int HeardWindows::windowsWith(std::size_t sound) const {
    return static_cast<int>(
        std::ranges::count_if(windows, [&](const HeardWindow& window) { return holds(window, sound); }));
}

bool HeardWindows::canFit(std::size_t sound) const { return allStepsOf(*this, sound).canFit(); }

ClassRow HeardWindows::fit(std::size_t sound) const { return fitTo(allStepsOf(*this, sound), *this, sound); }

std::optional<Reliability> HeardWindows::judge(std::size_t sound, const std::set<int>& own) const {
    const int folds = std::min(maxFolds, buckets);
    Tally tally;
    for (int fold = 0; fold < folds; ++fold) {
        if (std::ranges::none_of(own, [&](int bucket) { return bucket % folds == fold; })) continue;
        auto steps = stepsOf(*this, sound, fold, folds);
        if (!steps.canFit()) continue;
        const auto row = fitTo(std::move(steps), *this, sound);
        std::size_t others = 0;
        for (const HeardWindow& window : windows)
            if (window.bucket < 0 ? others++ % 2 == 1 : window.bucket % folds == fold)
                tally.count(*this, sound, row, window);
    }
    if (tally.times == 0) return std::nullopt;
    return Reliability{static_cast<double>(tally.found) / tally.times,
                       tally.silentSeconds > 0.0 ? 3600.0 * tally.alarms / tally.silentSeconds : 0.0};
}

void HeardWindow::keepDetected(std::span<const float> probabilities, std::span<const float> thresholds,
                               std::size_t soundCount) {
    const std::size_t steps = sounds.size() / soundCount, classes = probabilities.size() / steps;
    std::set<std::pair<std::size_t, int>> found;
    for (std::size_t step = 0; step < steps; ++step)
        for (std::size_t sound = 0; sound < soundCount; ++sound)
            for (std::size_t i = 0; sounds[step * soundCount + sound] > 0.5f && i < thresholds.size(); ++i)
                if (probabilities[step * classes + i] >= thresholds[i])
                    found.emplace(sound, static_cast<int>(i));
    detected.assign(found.begin(), found.end());
}

std::vector<int> HeardWindows::alsoDetected(std::size_t sound) const {
    constexpr std::size_t most = 3;
    std::map<int, int> counts; // windows, by class
    int all = 0;
    for (const HeardWindow& window : windows) {
        if (!window.plain || !holds(window, sound)) continue;
        ++all;
        for (const auto& [which, classIndex] : window.detected)
            if (which == sound) ++counts[classIndex];
    }
    std::vector<int> classes;
    for (const auto& [classIndex, count] : counts)
        if (2 * count >= all) classes.push_back(classIndex);
    std::ranges::stable_sort(classes, std::greater(), [&](int i) { return counts[i]; });
    classes.resize(std::min(classes.size(), most));
    return classes;
}

} // namespace earshot::teaching
