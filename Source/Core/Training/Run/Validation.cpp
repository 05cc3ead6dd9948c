#include "Core/Training/Run/Validation.h"

#include "Core/Training/Data/Example.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <random>
#include <utility>

namespace earshot::training {

namespace {

// The analyzer owns its model, so this passes on calls to the caller's.
class BorrowedModel : public detection::TokenModel {
  public:
    explicit BorrowedModel(detection::TokenModel& model)
        : model_(model) {}

    int melBands() const override { return model_.melBands(); }
    int windowFrames() const override { return model_.windowFrames(); }
    int framesPerToken() const override { return model_.framesPerToken(); }
    int classes() const override { return model_.classes(); }
    int values() const override { return model_.values(); }
    std::shared_ptr<const detection::ColumnScorer> scorer() const override { return model_.scorer(); }
    bool repeatsShortAudio() const override { return model_.repeatsShortAudio(); }
    void run(std::span<const float> logMel, std::span<float> tokens) override { model_.run(logMel, tokens); }
    void expectHop(int hop, int stretch) override { model_.expectHop(hop, stretch); }
    std::unique_ptr<detection::TokenModel> clone() const override { return model_.clone(); }

  private:
    detection::TokenModel& model_;
};

int hopTokens(const detection::TokenModel& model, Pace pace) {
    const detection::PassShape shape{.windowFrames = model.windowFrames(),
                                     .framesPerToken = model.framesPerToken()};
    return pace == Pace::wholeWindows ? detection::maxHop(shape, detection::Mode::automatic)
                                      : detection::usualHop(shape, detection::Mode::automatic);
}

enum Kind : std::size_t { white, pink, brown, hum, silence, kinds };
constexpr std::array<const char*, kinds> kindNames = {"white noise", "pink noise", "brown noise", "mains hum",
                                                      "silence"};

constexpr std::uint64_t noisePurpose = 0x4e4f495345; // for seedFor
constexpr double quietest = -60.0, loudest = -14.0;  // dBFS RMS

// Uses the generator's bits alone, because the standard distributions differ between libraries.
class Generator {
  public:
    explicit Generator(std::uint64_t seed)
        : engine_(seed) {}

    double between(double low, double high) {
        return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
    }
    double white() { return between(-1.0, 1.0); }

  private:
    std::mt19937_64 engine_;
};

// One-pole low-passes an octave and a half apart, each with the power its band needs: 3 dB less per octave
// from 20 Hz up.
void makePink(Generator& generator, std::span<float> samples, int sampleRate) {
    constexpr std::array<double, 7> corners = {20.0, 60.0, 180.0, 540.0, 1600.0, 4800.0, 14400.0}; // Hz
    std::array<double, corners.size()> states{}, feedback{}, gains{};
    for (std::size_t i = 0; i < corners.size(); ++i) {
        feedback[i] = std::exp(-2.0 * std::numbers::pi * corners[i] / sampleRate);
        // Noise through a one-pole has the variance (1 - a)^2 / (1 - a^2). All poles get the same variance.
        gains[i] = std::sqrt(1.0 - feedback[i] * feedback[i]);
    }
    for (float& sample : samples) {
        double sum = 0.0;
        for (std::size_t i = 0; i < corners.size(); ++i) {
            states[i] = feedback[i] * states[i] + gains[i] * generator.white();
            sum += states[i];
        }
        sample = static_cast<float>(sum);
    }
}

// 6 dB less per octave above 20 Hz.
void makeBrown(Generator& generator, std::span<float> samples, int sampleRate) {
    const double feedback = std::exp(-2.0 * std::numbers::pi * 20.0 / sampleRate);
    double state = 0.0;
    for (float& sample : samples) {
        state = feedback * state + generator.white();
        sample = static_cast<float>(state);
    }
}

// 50 or 60 Hz with decreasing overtones, the odd ones stronger, over a little noise.
void makeHum(Generator& generator, std::span<float> samples, int sampleRate) {
    const double base = generator.between(0.0, 1.0) < 0.5 ? 50.0 : 60.0;
    const double fall = generator.between(1.0, 2.0);
    std::array<std::complex<double>, 20> overtones{}; // at the first sample
    for (std::size_t i = 0; i < overtones.size(); ++i) {
        const double amplitude = (i % 2 == 0 ? 1.0 : 0.4) / std::pow(static_cast<double>(i + 1), fall);
        const double share = generator.between(0.5, 1.0);
        overtones[i] = std::polar(amplitude * share, generator.between(0.0, 2.0 * std::numbers::pi));
    }
    for (std::size_t n = 0; n < samples.size(); ++n) {
        double sum = 0.005 * generator.white();
        const double turns = base * static_cast<double>(n) / sampleRate;
        const auto turn = std::polar(1.0, 2.0 * std::numbers::pi * (turns - std::floor(turns)));
        auto turned = turn;
        for (const auto& overtone : overtones) {
            sum += overtone.imag() * turned.real() + overtone.real() * turned.imag();
            // std::complex's own product also looks for infinities.
            turned = {turned.real() * turn.real() - turned.imag() * turn.imag(),
                      turned.real() * turn.imag() + turned.imag() * turn.real()};
        }
        samples[n] = static_cast<float>(sum);
    }
}

void setLevel(std::span<float> samples, double decibels) {
    double squares = 0.0;
    for (const float sample : samples) squares += static_cast<double>(sample) * static_cast<double>(sample);
    if (squares <= 0.0) return;
    const auto gain = static_cast<float>(std::pow(10.0, decibels / 20.0) /
                                         std::sqrt(squares / static_cast<double>(samples.size())));
    for (float& sample : samples) sample = std::clamp(sample * gain, -1.0f, 1.0f);
}

} // namespace

Listener::Listener(detection::TokenModel& model, frontend::LogMelSettings frontend, Pace pace)
    : Listener(model, std::move(frontend), hopTokens(model, pace)) {}

Listener::Listener(detection::TokenModel& model, frontend::LogMelSettings frontend, int hopTokens,
                   int threads)
    : sampleRate_(frontend.sampleRate)
    , analyzer_(std::make_unique<BorrowedModel>(model), std::move(frontend),
                {.mode = detection::Mode::automatic, .hopTokens = hopTokens, .threads = threads}) {}

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

std::span<const char* const> noiseKinds() { return kindNames; }

std::size_t noiseCount(double hours) {
    const double rounds = std::ceil(hours * 3600.0 / (noiseSeconds * kindNames.size()) - 1e-9);
    return static_cast<std::size_t>(std::max(0.0, rounds)) * kinds;
}

std::vector<float> makeNoise(std::size_t index, int sampleRate, std::uint64_t seed) {
    std::vector<float> samples(static_cast<std::size_t>(noiseSeconds * sampleRate), 0.0f);
    Generator generator(seedFor(seed, noisePurpose, index));
    const double level = generator.between(quietest, loudest);
    switch (static_cast<Kind>(index % kinds)) {
    case white:
        std::ranges::generate(samples, [&] { return static_cast<float>(generator.white()); });
        break;
    case pink:
        makePink(generator, samples, sampleRate);
        break;
    case brown:
        makeBrown(generator, samples, sampleRate);
        break;
    case hum:
        makeHum(generator, samples, sampleRate);
        break;
    default:
        break;
    }
    setLevel(samples, level);
    return samples;
}

std::vector<evaluation::Scored> scoreNoise(Listener& listener, double hours, std::uint64_t seed,
                                           const ValidationProgress& progress) {
    std::vector<evaluation::Scored> recordings;
    const std::size_t count = noiseCount(hours);
    for (std::size_t i = 0; i < count; ++i) {
        recordings.push_back(listener.listen(makeNoise(i, listener.sampleRate(), seed)));
        if (progress && !progress(i + 1, count)) break;
    }
    return recordings;
}

} // namespace earshot::training
