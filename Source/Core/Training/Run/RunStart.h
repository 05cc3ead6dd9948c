// What a training run starts from: data read and decoded, a network with its first values, the scenes.
// One thread at a time.
#pragma once

#include "Core/Training/Data/ClipStore.h"
#include "Core/Training/Data/Example.h"
#include "Core/Training/Run/RunSettings.h"
#include "Core/Training/Scenes/SceneMixer.h"

#include <memory>
#include <optional>
#include <vector>

namespace earshot::training {

// Throws earshot::Error when the model's name or its folder will not do, or there is nothing to resume.
void checkPlace(const RunSettings& settings, const RunFiles& files);
// Throws earshot::Error when a file would be lost, or cannot be written. data: as it was read
void checkFiles(const RunSettings& settings, const RunFiles& files, const DataSet& data);

struct LoadedData {
    DataSet set;
    std::unique_ptr<const ClipStore> store;
};
// Decodes the clips. Tells what was found and what is wrong with it (the first problems; all of them go to a
// file).
std::unique_ptr<LoadedData> loadData(DataSet&& set, const RunSettings& settings, const RunFiles& files,
                                     int sampleRate, const RunObserver& observer);
// The same for the same clips, labels and splits, wherever they lie.
std::string fingerprintOf(const DataSet& data);

struct StartingPoint {
    std::unique_ptr<const ParameterLayout> layout;
    std::vector<float> values;
    BandStatistics statistics;     // empty when there was no training before
    std::vector<float> melFilters; // the model's own, or empty
    std::string licence;           // of the model it starts from
    int knownClasses = 0;          // of the classes, those that the model it starts from knows
};
// The sample rate of the network, before data is read at that rate.
int sampleRateOf(const RunSettings& settings);
StartingPoint startingPoint(const RunSettings& settings, const std::vector<std::string>& labels);

// What a run learns from and what it is validated with: mixed scenes, recordings as they are, or both, as the
// data allows. The store and the data set outlive it. Immutable once made: any thread.
struct RunSources {
    std::shared_ptr<const SceneMixer> scenes;      // or null
    std::shared_ptr<const ExampleSource> examples; // scenes, recordings or both; null: the split has neither
};

// Both kinds count by their clips.
RunSources sourcesOf(const ClipStore& store, const DataSet& data, const ExampleShape& shape,
                     const SceneSettings& settings, Split split, std::uint64_t seed);

} // namespace earshot::training
