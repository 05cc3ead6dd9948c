// Examples of real recordings in which several classes sound or whose sounds are labelled in time: windows at
// random places with token targets (strong), or the whole file, cut or padded with silence to a window, with
// the targets of all of it (weak). Classes are drawn evenly, and windows mostly around a sound of the class.
// The source is immutable: any thread; each maker is one thread's.
#pragma once

#include "Core/Training/Data/ClipStore.h"
#include "Core/Training/Data/Example.h"
#include "Core/Training/Scenes/SceneSettings.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace earshot::training {

class RecordingSource : public ExampleSource {
  public:
    // Of Split::valid without augmentation (speed, level, colour, stripes). Store and data must outlive this,
    // and this its makers. Throws earshot::Error when the split has no such recordings (see ClipRoles.h).
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
    std::vector<int> drawn_;                              // which those are
};

// Several sources of examples as one, each with its share. Example `index` is always of the same source,
// which is asked for its own example `index`. Immutable: any thread; each maker is one thread's.
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
