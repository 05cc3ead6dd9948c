// The models that lessons wrote to the folder of a collection: where the next one goes, and whether learning
// again would bring sounds to a model that lacks them. Reads files and writes none. Any thread but the audio
// thread.
#pragma once

#include <filesystem>
#include <string>

namespace earshot::plugin {

// The card of a model, beside it.
std::filesystem::path cardOf(const std::filesystem::path& model);

// Where a lesson writes what it taught to the model of this name: nothing is there, or a model that a lesson
// wrote. The card's place is free, too, or has that model's card.
std::filesystem::path placeFor(const std::filesystem::path& folder, const std::string& modelName);

// What learning again would do, where the sounds of a collection were learnt on another model than the one
// that should have them.
struct RetrainOffer {
    std::string offer;        // a sentence; empty: there is nothing to renew
    bool fromDefault = false; // the default model learns, not the one that is loaded

    // model: the one that is loaded; empty: the default one. Throws earshot::Error for a model that cannot be
    // read or taught, and without a default model.
    static RetrainOffer find(const std::filesystem::path& model, const std::filesystem::path& folder);
};

} // namespace earshot::plugin
