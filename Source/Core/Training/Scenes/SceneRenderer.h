// Plans and renders one scene at a time from a SceneMaterial: which sounds, when, how loud, and over which
// background. One thread at a time; memory is reused from scene to scene.
#pragma once

#include "Core/Training/Data/Augment.h"
#include "Core/Training/Data/Example.h"
#include "Core/Training/Data/SceneSettings.h"
#include "Core/Training/Scenes/SceneMaterial.h"

#include <cstdint>
#include <span>
#include <vector>

namespace earshot::training {

struct RenderedScene {
    std::vector<float> samples;
    std::vector<Sounding> soundings; // within the scene
    bool backgroundHeard = false;    // the background is loud enough to be taken for a sound
    bool clean = false;              // one sound as it was recorded
};

class SceneRenderer {
  public:
    // windowSamples: the length to which SceneSettings::maxEvents refers. `material` and `teacher`, which may
    // be null, must outlive this.
    SceneRenderer(const SceneMaterial& material, const SceneSettings& settings, std::int64_t windowSamples,
                  bool augmented, const TeacherTable* teacher = nullptr);

    // Overwrites `scene`. The dice decide everything.
    void render(Dice& dice, std::int64_t length, RenderedScene& scene);

  private:
    struct Part {
        std::int64_t first = 0, last = 0;           // samples of the clip
        bool cutAtFirst = false, cutAtLast = false; // within its sound
    };

    int eventCount(Dice& dice, std::int64_t length) const;
    float backgroundLevel(Dice& dice, bool anyEvent, float loudest) const;
    void addBackground(Dice& dice, float level, RenderedScene& scene);
    bool fillRecorded(Dice& dice, std::span<float> samples);
    void addEvent(Dice& dice, const StoredClip& clip, float level, RenderedScene& scene);
    void renderClean(Dice& dice, RenderedScene& scene);
    const StoredClip& drawSound(Dice& dice) const;
    const TeacherRow* teacherOf(const StoredClip& clip) const;
    Part choosePart(Dice& dice, const StoredClip& clip, std::int64_t length) const;
    void renderSound(Dice& dice, const StoredClip& clip, const Part& part);
    void layer(Dice& dice, int label, std::int64_t length);
    void colour(Dice& dice);
    float activeRms() const;
    std::int64_t chooseOnset(Dice& dice, std::int64_t total, std::int64_t length) const;
    void place(std::int64_t onset, float gain, int label, RenderedScene& scene) const;
    void finish(Dice& dice, RenderedScene& scene) const;
    std::int64_t samplesOf(double seconds) const;

    const SceneMaterial& material_;
    SceneSettings settings_;
    std::int64_t windowSamples_;
    bool augmented_;
    const TeacherTable* teacher_;
    bool varied_; // the sound that is rendered differs from its recording
    Reverb reverb_;
    Convolver convolver_;
    std::vector<float> sound_;     // the event that is rendered
    std::vector<Activity> active_; // samples of sound_ in which it sounds
    Teachers teachers_{};          // of sound_
    std::vector<float> under_;     // the recording over which it is layered
    std::vector<Activity> underActive_;
};

} // namespace earshot::training
