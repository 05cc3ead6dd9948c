// The recordings that the default model is trained on, where they are at hand.
#include "Core/Training/Data/ClipStore.h"
#include "Core/Training/Scenes/SceneMixer.h"
#include "Support/Catch.h"
#include "Support/Paths.h"
#include "Support/Skip.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

using namespace earshot::training;

namespace {

std::filesystem::path manifest() {
    return earshot::test::sourceDirectory().parent_path() / "shared" / "data" / "clips" / "manifest.csv";
}

} // namespace

TEST_CASE("the shared recordings are read, split without leaks, and mixed", "[slow]") {
    if (!std::filesystem::exists(manifest()))
        return earshot::test::skip(manifest().string() + " is not there");
    DataChoice choice;
    choice.sources = {manifest()};
    choice.only = {"Dog", "Rain", "Sneeze", "Rooster", "Clock tick"};
    auto data = readDataSet(choice);
    REQUIRE(data.labels.size() == 5);
    std::map<std::string, std::set<Split>> splits;
    for (const auto& clip : data.clips) splits[clip.group].insert(clip.split);
    for (const auto& [group, seen] : splits) REQUIRE(seen.size() == 1);

    const ClipStore store(data, 32000, 2, nullptr);
    requireClips(data, store, 20);
    // Rain falls from end to end, dogs bark now and then.
    std::map<int, double> active, all;
    for (const auto& stored : store.clips()) {
        if (stored.clip->labels.empty()) continue;
        for (const auto& stretch : stored.activity)
            active[stored.clip->labels[0]] += static_cast<double>(stretch.last - stretch.first);
        all[stored.clip->labels[0]] += static_cast<double>(stored.samples.size());
    }
    const auto labelled = [&](const char* name) {
        return static_cast<int>(std::ranges::find(data.labels, name) - data.labels.begin());
    };
    const int rain = labelled("Rain"), dog = labelled("Dog");
    REQUIRE(active[rain] > 0.9 * all[rain]);
    REQUIRE(active[dog] < 0.7 * all[dog]);

    const SceneMixer mixer(store, data, earshot::model::Config(), {}, Split::train, 1);
    const auto maker = mixer.newMaker();
    std::vector<int> heard(data.labels.size(), 0);
    Example example;
    for (std::uint64_t i = 0; i < 60; ++i) {
        maker->make(i, example);
        for (std::size_t at = 0; at < example.targets.size(); ++at)
            if (example.targets[at] > 0.0f) ++heard[at % heard.size()];
    }
    REQUIRE(std::ranges::all_of(heard, [](int tokens) { return tokens > 10; }));
}
