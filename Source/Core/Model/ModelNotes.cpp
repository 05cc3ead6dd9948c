#include "Core/Model/ModelNotes.h"

#include "Core/Model/Reading/ConfigReader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace earshot::model {

namespace {

std::string otherWeights(const FoundNetworks& networks) {
    std::set<std::string> others;
    for (const auto& network : networks.all)
        if (network.weights != networks.network().weights) others.insert(nameOf(network.weights));
    if (others.empty()) return "to use another, save it alone";
    return fmt::format("--weights {} chooses another", fmt::join(others, " or "));
}

} // namespace

std::vector<ModelNote> notesOn(const CheckpointLayout& layout, const ReadingChoice& choice) {
    std::vector<ModelNote> notes;
    const auto& config = layout.config;
    if (layout.networks.all.size() > 1 && !choice.weights)
        notes.push_back({fmt::format("holds {}; {} is used", layout.networks.describe(),
                                     layout.networks.network().shownName()),
                         otherWeights(layout.networks)});
    const bool rate = layout.origins.sampleRate == Origin::assumed;
    const bool hop = layout.origins.hopSize == Origin::assumed;
    if (rate)
        notes.push_back(
            {fmt::format("states no sample rate, and has no mel matrix that shows it; {} Hz and a "
                         "hop of {} samples are assumed ({})",
                         config.sampleRate, config.hopSize, layout.origins.assumption),
             "--sample-rate and --hop-size state others"});
    else if (hop)
        notes.push_back({fmt::format("states no hop size; {} samples ({:.3g} ms) are assumed", config.hopSize,
                                     1000.0 * config.secondsPerFrame()),
                         "--hop-size states another"});
    return notes;
}

} // namespace earshot::model
