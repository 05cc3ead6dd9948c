#include "Core/Audio/Resampler.h"
#include "Core/Base/Error.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Support/AudioMaker.h"
#include "Support/Catch.h"

#include <algorithm>

using namespace earshot;
using namespace earshot::detection;

namespace {

// The first band of each token's first frame, as something that depends on the samples.
class FirstBandModel : public TokenModel {
  public:
    int melBands() const override { return 64; }
    int windowFrames() const override { return 1024; }
    int framesPerToken() const override { return 32; }
    int classes() const override { return 1; }
    void run(std::span<const float> logMel, std::span<float> probabilities) override {
        for (std::size_t token = 0; token < probabilities.size(); ++token)
            probabilities[token] = std::clamp((logMel[token * 32 * 64] + 100.0f) / 200.0f, 0.0f, 1.0f);
    }
};

Analyzer makeAnalyzer() { return Analyzer(std::make_unique<FirstBandModel>(), {}, {}); }

std::vector<float> columns(const Analyzer& analyzer) {
    std::vector<float> values(static_cast<std::size_t>(analyzer.timeline().columns()));
    analyzer.timeline().row(0, 0, values);
    return values;
}

} // namespace

TEST_CASE("a file gives the columns of its resampled samples", "[unit]") {
    const test::TemporaryDirectory directory;
    for (const int rate : {8000, 32000, 44100, 192000}) {
        for (const double seconds : {0.0002, 0.06, 0.5, 3.3}) {
            CAPTURE(rate, seconds);
            const auto samples = test::noise(static_cast<std::size_t>(seconds * rate), 1);
            const auto path = directory / "noise.wav";
            test::writeAudio(path, test::AudioFormat::wavFloat, rate, 1, samples);

            std::vector<float> resampled;
            audio::Resampler resampler(rate, 32000.0);
            resampler.push(samples, resampled);
            resampler.finish(resampled);
            Analyzer expected = makeAnalyzer();
            expected.push(resampled);
            expected.finish();

            // An analyzer that has already heard something else.
            Analyzer analyzer = makeAnalyzer();
            analyzer.push(test::noise(1000, 2));
            audio::AudioFile file(path);
            const FileSummary summary = analyzeFile(file, analyzer, 32000.0);
            // Less than that is no sound to name, and would only be repeated into a tone.
            const bool isAnalysed = seconds >= BlockReader::minSeconds;
            CHECK(columns(analyzer) == (isAnalysed ? columns(expected) : std::vector<float>()));
            CHECK(analyzer.timeline().settled() == analyzer.timeline().columns());
            CHECK(summary.seconds == static_cast<double>(samples.size()) / rate);
            CHECK(!summary.stopped);
            CHECK(!summary.failure);
        }
    }
}

TEST_CASE("progress is told and can stop the analysis", "[unit]") {
    const test::TemporaryDirectory directory;
    test::writeAudio(directory / "noise.wav", test::AudioFormat::wavPcm16, 16000, 1, test::noise(160000, 1));
    audio::AudioFile file(directory / "noise.wav");
    Analyzer analyzer = makeAnalyzer();
    std::vector<double> told;
    const FileSummary summary =
        analyzeFile(file, analyzer, 32000.0, [&](double done, std::optional<double> total) {
            CHECK(total == 10.0);
            told.push_back(done);
            return done < 4.0;
        });
    CHECK(std::is_sorted(told.begin(), told.end()));
    CHECK(summary.stopped);
    CHECK(summary.seconds == told.back());
    CHECK(summary.seconds < 6.0);
    CHECK(analyzer.timeline().duration() == Approx(summary.seconds).margin(1e-3));
}

TEST_CASE("what was heard before the damage in a file is kept", "[unit]") {
    const test::TemporaryDirectory directory;
    test::writeAudio(directory / "cut.flac", test::AudioFormat::flacPcm16, 32000, 1,
                     test::noise(4 * 32000, 1));
    test::truncate(directory / "cut.flac", 0.6);
    audio::AudioFile file(directory / "cut.flac");
    Analyzer analyzer = makeAnalyzer();
    const FileSummary summary = analyzeFile(file, analyzer, 32000.0);
    REQUIRE(summary.failure);
    CHECK_THAT(*summary.failure, ContainsSubstring("cut.flac"));
    CHECK(summary.seconds > 1.0);
    CHECK(summary.seconds < 3.0);
    CHECK(analyzer.timeline().columns() > 3);
}
