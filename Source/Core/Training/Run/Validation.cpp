#include "Core/Training/Run/Validation.h"

#include <memory>
#include <utility>

namespace earshot::training {

namespace {

// The analyzer wants a model of its own; here it is the caller's.
class BorrowedModel : public detection::TokenModel {
  public:
    explicit BorrowedModel(detection::TokenModel& model)
        : model_(model) {}

    int melBands() const override { return model_.melBands(); }
    int windowFrames() const override { return model_.windowFrames(); }
    int framesPerToken() const override { return model_.framesPerToken(); }
    int classes() const override { return model_.classes(); }
    void run(std::span<const float> logMel, std::span<float> probabilities) override {
        model_.run(logMel, probabilities);
    }

  private:
    detection::TokenModel& model_;
};

int hopTokens(const detection::TokenModel& model, Pace pace) {
    const detection::PassShape shape{.windowFrames = model.windowFrames(),
                                     .framesPerToken = model.framesPerToken()};
    return pace == Pace::wholeWindows ? detection::longestHop(shape, detection::Mode::automatic)
                                      : detection::usualHop(shape, detection::Mode::automatic);
}

} // namespace

Listener::Listener(detection::TokenModel& model, frontend::LogMelSettings frontend, Pace pace)
    : Listener(model, std::move(frontend), hopTokens(model, pace)) {}

Listener::Listener(detection::TokenModel& model, frontend::LogMelSettings frontend, int hopTokens)
    : sampleRate_(frontend.sampleRate)
    , analyzer_(std::make_unique<BorrowedModel>(model), std::move(frontend),
                {.mode = detection::Mode::automatic, .hopTokens = hopTokens}) {}

evaluation::Scored Listener::listen(std::span<const float> samples) {
    analyzer_.reset();
    analyzer_.push(samples);
    analyzer_.finish();
    return heard();
}

evaluation::Scored Listener::heard() const {
    const detection::Timeline& timeline = analyzer_.timeline();
    evaluation::Scored recording;
    recording.duration = timeline.duration().value_or(0.0);
    recording.columnSeconds = timeline.secondsPerColumn();
    recording.probabilities.reserve(static_cast<std::size_t>(timeline.columns()) *
                                    static_cast<std::size_t>(timeline.classes()));
    for (std::int64_t i = 0; i < timeline.columns(); ++i) {
        const auto column = timeline.column(i);
        recording.probabilities.insert(recording.probabilities.end(), column.begin(), column.end());
    }
    return recording;
}

std::vector<evaluation::Scored> scoreScenes(Listener& listener, const SceneMixer& mixer, std::size_t count,
                                            std::span<const int> classOf,
                                            const ValidationProgress& progress) {
    std::vector<evaluation::Scored> recordings;
    for (std::size_t i = 0; i < count; ++i) {
        const Scene scene = mixer.makeScene(i);
        std::vector<evaluation::Annotation> annotations;
        for (const LabelledSpan& span : scene.annotations) {
            const int own = classOf.empty() ? span.label : classOf[static_cast<std::size_t>(span.label)];
            if (own >= 0) annotations.push_back({span.onset, span.offset, own});
        }
        evaluation::Scored recording = listener.listen(scene.samples);
        evaluation::annotate(recording, std::move(annotations));
        recordings.push_back(std::move(recording));
        if (progress && !progress(i + 1, count)) break;
    }
    return recordings;
}

} // namespace earshot::training
