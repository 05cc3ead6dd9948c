// What a run learns from and what it is validated with: mixed scenes, recordings as they are, or both, as the
// data allows. The store and the data set outlive it. Immutable once made: any thread.
#pragma once

#include "Core/Training/Data/ClipStore.h"
#include "Core/Training/Data/ExampleShape.h"
#include "Core/Training/Data/ExampleSource.h"
#include "Core/Training/Scenes/SceneMixer.h"

#include <memory>

namespace earshot::training {

struct RunSources {
    std::shared_ptr<const SceneMixer> scenes;      // or null
    std::shared_ptr<const ExampleSource> examples; // scenes, recordings or both; null: the split has neither
};

// Both kinds count by their clips.
RunSources sourcesOf(const ClipStore& store, const DataSet& data, const ExampleShape& shape,
                     const SceneSettings& settings, Split split, std::uint64_t seed);

} // namespace earshot::training
