// Examples from real recordings with several classes, or with labels in time. Strong ones are windows at
// random places with targets for each token. Weak ones are whole files, cut or padded with silence to a
// window, with targets for the whole. Classes are drawn evenly, and windows mostly lie around a sound of the
// class.
// The source is immutable: any thread; each maker is one thread's.
#pragma once

#include "Core/Training/Data/ClipStore.h"
#include "Core/Training/Data/Example.h"
#include "Core/Training/Data/SceneSettings.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace earshot::training {

class RecordingSource : public ExampleSource {
  public:
    // For Split::valid there is no augmentation (speed, level, colour, stripes). Store and data must outlive
    // this, and this must outlive its makers. Throws earshot::Error if the split has no such recordings (see
    // ClipRoles.h).
    RecordingSource(const ClipStore& store, const DataSet& data, const ExampleShape& shape,
                    const SceneSettings& settings, Split split, std::uint64_t seed);

    std::unique_ptr<ExampleMaker> newMaker() const override;

  private:
    class Maker;

    ExampleShape shape_;
    SceneSettings settings_;
    bool augmented_;
    std::uint64_t seed_;
    int classes_;
    std::vector<std::vector<const StoredClip*>> byClass_; // only classes that have recordings
    std::vector<int> drawn_;                              // those classes
};

// Several sources as one, each with its share. Example `index` always comes from the same source, as that
// source's example `index`. Immutable: any thread; each maker belongs to one thread.
class CombinedSource : public ExampleSource {
  public:
    struct Part {
        std::shared_ptr<const ExampleSource> source;
        double weight = 1.0; // relative to the others'; above 0
    };
    CombinedSource(std::vector<Part> parts, std::uint64_t seed); // at least one part

    std::unique_ptr<ExampleMaker> newMaker() const override;

  private:
    class Maker;

    std::vector<Part> parts_;
    double total_ = 0.0; // of the weights
    std::uint64_t seed_;
};

} // namespace earshot::training
