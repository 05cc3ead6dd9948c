// The start of a training run: reads and decodes data, makes a network with its first values, and the scenes.
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

// Throws earshot::Error when the model's name or its folder is unusable, or there is nothing to resume.
void checkPlace(const RunSettings& settings, const RunFiles& files);
// Throws earshot::Error when a file would be lost or cannot be written. data: as readDataSet() returned it
void checkFiles(const RunSettings& settings, const RunFiles& files, const DataSet& data);

struct LoadedData {
    DataSet set;
    std::unique_ptr<const ClipStore> store;
};
// Decodes the clips. Reports what was found and the first problems; all problems go to a file.
std::unique_ptr<LoadedData> loadData(DataSet&& set, const RunSettings& settings, const RunFiles& files,
                                     int sampleRate, const RunObserver& observer);
// Equal for the same clips, labels and splits, wherever they lie.
std::string fingerprintOf(const DataSet& data);

// The options that change the result, besides those of the trainer, the network and the data: a JSON object
// with the names of the command line.
std::string optionsOf(const RunSettings& settings);

struct StartingPoint {
    std::unique_ptr<const ParameterLayout> layout;
    std::vector<float> values;
    BandStatistics statistics;     // empty if there was no training before
    std::vector<float> melFilters; // the model's own; may be empty
    std::string licence;           // of the starting model
    std::string imageModel;        // the name of the image model that it starts from; empty for others
    int knownClasses = 0;          // how many of the classes the kept head knows
};
// The network's sample rate, at which data are then decoded. Throws earshot::Error for a model that nothing
// can start from: before anything is decoded.
int sampleRateOf(const RunSettings& settings);
StartingPoint startingPoint(const RunSettings& settings, const std::vector<std::string>& labels);

// The examples for training or validation: mixed scenes, unchanged recordings, or both, as the data allow.
// The store, the data set and the teacher must outlive it. Immutable once made: any thread.
struct RunSources {
    std::shared_ptr<const SceneMixer> scenes; // may be null
    // scenes, recordings or both; null if the split has neither
    std::shared_ptr<const ExampleSource> examples;
};

// Both kinds are weighted by their clips.
RunSources sourcesOf(const ClipStore& store, const DataSet& data, const ExampleShape& shape,
                     const SceneSettings& settings, Split split, std::uint64_t seed,
                     const TeacherTable* teacher = nullptr);

} // namespace earshot::training
