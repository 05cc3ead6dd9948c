#include "Core/Training/Scenes/SceneMixer.h"

#include "Core/Frontend/LogMel.h"
#include "Core/Training/Data/Augment.h"

#include <cassert>
#include <cmath>

namespace earshot::training {

namespace {

constexpr std::uint64_t scenePurpose = 0x5343454e45; // for seedFor
constexpr double annotationGap = 0.3;                // seconds

} // namespace

class SceneMixer::Maker : public ExampleMaker {
  public:
    explicit Maker(const SceneMixer& mixer)
        : mixer_(mixer)
        , renderer_(mixer.material_, mixer.settings_, mixer.shape_.windowSamples(), mixer.augmented_,
                    mixer.teacher_)
        , logMel_(mixer.shape_.frontend) {}

    void make(std::uint64_t index, Example& example) override {
        const ExampleShape& shape = mixer_.shape_;
        Dice dice(seedFor(mixer_.seed_, scenePurpose, index));
        renderer_.render(dice, shape.windowSamples(), scene_);
        extractWindow(shape, logMel_, scene_.samples, example.logMel);
        const TokenGrid grid{shape.tokens(), shape.tokenSamples(), shape.frontend.sampleRate};
        const int classes = mixer_.material_.classes();
        setTokenTargets(scene_.soundings, grid, classes, example.targets, mixer_.settings_.softShare);
        setTaught(scene_.soundings, grid, example.taught);
        example.weak = false;
        setKnown(classes, example.known);
        example.stripes.clear();
        if (!mixer_.augmented_ || scene_.clean) return;
        const int bands = shape.frontend.melBands;
        drawStripes(dice, mixer_.settings_, shape.windowFrames, bands, example.stripes);
        applyFilterAugment(dice, mixer_.settings_, bands, example.logMel);
    }

  private:
    void setKnown(int classes, std::vector<float>& known) const {
        known.clear();
        if (!scene_.backgroundHeard || mixer_.material_.backgroundClasses().empty()) return;
        known.assign(static_cast<std::size_t>(classes), 1.0f);
        for (const int label : mixer_.material_.backgroundClasses())
            known[static_cast<std::size_t>(label)] = 0.0f;
        for (const auto& sounding : scene_.soundings)
            if (sounding.label >= 0) known[static_cast<std::size_t>(sounding.label)] = 1.0f;
    }

    const SceneMixer& mixer_;
    SceneRenderer renderer_;
    frontend::LogMel logMel_;
    RenderedScene scene_;
};

SceneMixer::SceneMixer(const ClipStore& store, const DataSet& data, const ExampleShape& shape,
                       const SceneSettings& settings, Split split, std::uint64_t seed,
                       const TeacherTable* teacher)
    : shape_(shape)
    , settings_(settings)
    , augmented_(split != Split::valid)
    , seed_(seed)
    , teacher_(teacher)
    , material_(store, data, split, settings.backgroundClasses(data.labels)) {
    assert(store.sampleRate() == shape.frontend.sampleRate);
}

std::unique_ptr<ExampleMaker> SceneMixer::newMaker() const { return std::make_unique<Maker>(*this); }

Scene SceneMixer::makeScene(std::uint64_t index) const {
    const auto asked = std::llround(settings_.seconds * material_.sampleRate());
    const auto length = asked > 0 ? asked : shape_.windowSamples();
    SceneRenderer renderer(material_, settings_, shape_.windowSamples(), augmented_);
    Dice dice(seedFor(seed_, scenePurpose, index));
    RenderedScene rendered;
    renderer.render(dice, length, rendered);
    Scene scene;
    scene.samples = std::move(rendered.samples);
    scene.annotations = annotationsOf(rendered.soundings, material_.sampleRate(), annotationGap);
    return scene;
}

} // namespace earshot::training
