#include "Core/Training/Data/DataSetSplits.h"

#include "Core/Training/Data/Dice.h"
#include "Support/Catch.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

using namespace earshot::training;

namespace {

struct Labelled {
    std::vector<Clip> clips;
    std::vector<bool> decided;
    std::vector<Problem> problems;
    int labels = 0;
};

// Data as it may come: groups of all sizes, clips of several classes or none, splits named or not.
Labelled randomData(std::uint64_t seed, float namedShare, int maxLabels) {
    Dice dice(seed);
    Labelled data;
    data.labels = dice.from(1, 8);
    const int groups = dice.from(1, 60), clips = dice.from(1, 300);
    for (int i = 0; i < clips; ++i) {
        Clip clip;
        const int group = dice.from(1, groups);
        clip.group = std::to_string(group);
        std::set<int> labels;
        // A group is mostly of one class, as sessions are.
        for (int k = dice.from(0, maxLabels); k > 0; --k)
            labels.insert(dice.chance(0.8f) ? group % data.labels : dice.from(0, data.labels - 1));
        clip.labels.assign(labels.begin(), labels.end());
        data.decided.push_back(dice.chance(namedShare));
        if (data.decided.back())
            clip.split = dice.chance(0.6f) ? Split::train : dice.chance(0.7f) ? Split::valid : Split::unused;
        data.clips.push_back(clip);
    }
    return data;
}

std::map<std::string, std::set<Split>> splitsOfGroups(const Labelled& data) {
    std::map<std::string, std::set<Split>> splits;
    for (const auto& clip : data.clips)
        if (clip.split != Split::unused) splits[clip.group].insert(clip.split);
    return splits;
}

void split(Labelled& data, double share = 0.2, std::uint64_t seed = 1) {
    assignSplits(data.clips, data.decided, data.labels, {.validShare = share, .seed = seed}, data.problems);
}

} // namespace

TEST_CASE("no group is in two splits, whatever the data", "[unit]") {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        INFO("seed " << seed);
        auto data = randomData(seed, seed % 3 == 0 ? 0.0f : 0.5f, 3);
        const auto before = data.clips;
        split(data, 0.05 * static_cast<double>(seed % 11), seed);
        for (const auto& [group, splits] : splitsOfGroups(data)) REQUIRE(splits.size() == 1);
        for (std::size_t i = 0; i < before.size(); ++i)
            if (data.decided[i] && before[i].split == Split::unused)
                REQUIRE(data.clips[i].split == Split::unused);
    }
}

TEST_CASE("a group that the data has in both splits goes to train and is listed, the others stay", "[unit]") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        auto data = randomData(seed, 1.0f, 2);
        const auto named = splitsOfGroups(data);
        split(data);
        std::size_t torn = 0;
        for (const auto& [group, splits] : splitsOfGroups(data)) {
            const auto& before = named.at(group);
            torn += before.size() - 1;
            REQUIRE(splits == (before.size() == 2 ? std::set{Split::train} : before));
        }
        REQUIRE(data.problems.size() == torn);
    }
}

TEST_CASE("about the wanted share of each class validates, and each class has some on both sides", "[unit]") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        INFO("seed " << seed);
        auto data = randomData(seed, 0.0f, 1);
        split(data, 0.2, seed);
        for (int label = 0; label < data.labels; ++label) {
            const auto in = [&](Split wanted) {
                return std::ranges::count_if(data.clips, [&](const Clip& clip) {
                    return clip.labels == std::vector{label} && clip.split == wanted;
                });
            };
            REQUIRE((in(Split::train) > 0 || in(Split::valid) == 0));
        }
    }
    // Groups of one class each, so that every class can have what it wants.
    for (int groups = 1; groups < 30; ++groups) {
        Labelled data;
        data.labels = 2;
        for (int i = 0; i < 6 * groups; ++i) {
            Clip clip;
            clip.labels = {i % 2};
            clip.group = std::to_string(i % (2 * groups));
            data.clips.push_back(clip);
            data.decided.push_back(false);
        }
        split(data, 0.2, static_cast<std::uint64_t>(groups));
        for (int label = 0; label < 2; ++label) {
            const auto valid = std::ranges::count_if(data.clips, [label](const Clip& clip) {
                return clip.labels.front() == label && clip.split == Split::valid;
            });
            const int wanted = groups == 1 ? 0 : std::max(1, static_cast<int>(std::lround(0.2 * groups)));
            REQUIRE(valid == 3 * wanted);
        }
    }
}

TEST_CASE("splits follow from the data and the seed alone, and no share means none", "[unit]") {
    Labelled first;
    first.labels = 3;
    for (int i = 0; i < 90; ++i) {
        Clip clip;
        clip.labels = {i % 3};
        clip.group = std::to_string(i / 2);
        first.clips.push_back(clip);
        first.decided.push_back(false);
    }
    auto second = first, other = first, none = first;
    split(first);
    split(second);
    split(other, 0.2, 2);
    const auto splits = [](const Labelled& data) {
        std::vector<Split> result;
        for (const auto& clip : data.clips) result.push_back(clip.split);
        return result;
    };
    REQUIRE(splits(first) == splits(second));
    REQUIRE(splits(first) != splits(other));

    split(none, 0.0);
    REQUIRE(std::ranges::all_of(none.clips, [](const Clip& clip) { return clip.split == Split::train; }));
}
