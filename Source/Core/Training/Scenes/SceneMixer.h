// Soundscapes mixed on the fly from clips of one class each: 0 to 4 events at random times and levels over
// backgrounds, with exact labels. So such clips teach when a sound begins and ends. Scene `index` is always
// the same, for every caller and in every order.
//
// An event keeps its labels even if others drown it. The levels of a scene differ by
// SceneSettings::levelSpread at most, so few events are drowned. The mixer is immutable: any thread; each
// maker belongs to one thread.
#pragma once

#include "Core/Training/Data/Example.h"
#include "Core/Training/Data/SceneSettings.h"
#include "Core/Training/Scenes/SceneMaterial.h"
#include "Core/Training/Scenes/SceneRenderer.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace earshot::training {

struct Scene {
    std::vector<float> samples;            // mono at the model's rate
    std::vector<LabelledSpan> annotations; // by onset; sounds of a class less than 0.3 s apart are one
};

class SceneMixer : public ExampleSource {
  public:
    // Scenes of Split::valid have no augmentation (speed, colour, rooms, stripes) and know no teacher. Store,
    // data and teacher (which may be null) must outlive this, and this must outlive its makers. Throws
    // earshot::Error if the split has nothing to mix.
    SceneMixer(const ClipStore& store, const DataSet& data, const ExampleShape& shape,
               const SceneSettings& settings, Split split, std::uint64_t seed,
               const TeacherTable* teacher = nullptr);

    std::unique_ptr<ExampleMaker> newMaker() const override;
    // SceneSettings::seconds long.
    Scene makeScene(std::uint64_t index) const;

  private:
    class Maker;

    ExampleShape shape_;
    SceneSettings settings_;
    bool augmented_;
    std::uint64_t seed_;
    const TeacherTable* teacher_;
    SceneMaterial material_;
};

} // namespace earshot::training
