#include "Core/Streaming/FileSession.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Streaming/LiveHistory.h"
#include "Core/Tensor/Threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <new>
#include <utility>

namespace earshot::streaming {

namespace {

// The model, but for passes that nobody waits for any more.
class AbandonableModel : public detection::TokenModel {
  public:
    AbandonableModel(std::unique_ptr<detection::TokenModel> model, StopToken abandoned)
        : model_(std::move(model))
        , abandoned_(std::move(abandoned)) {}

    int melBands() const override { return model_->melBands(); }
    int windowFrames() const override { return model_->windowFrames(); }
    int framesPerToken() const override { return model_->framesPerToken(); }
    int classes() const override { return model_->classes(); }
    detection::PassShape shape() const {
        return {.windowFrames = windowFrames(), .framesPerToken = framesPerToken()};
    }

    void run(std::span<const float> logMel, std::span<float> probabilities) override {
        abandoned_.check();
        const StopToken::Computing computing(abandoned_);
        model_->run(logMel, probabilities);
    }
    void expectHop(int hop, int stretch) override { model_->expectHop(hop, stretch); }
    std::unique_ptr<detection::TokenModel> another() const override {
        auto other = model_->another();
        return other ? std::make_unique<AbandonableModel>(std::move(other), abandoned_) : nullptr;
    }

  private:
    std::unique_ptr<detection::TokenModel> model_;
    StopToken abandoned_;
};

// What people are told at the end.
std::string conclusion(const detection::FileSummary& summary, const LoadedModel& model) {
    if (summary.failure) return *summary.failure;
    if (summary.stopped) return fmt::format("Stopped after {:.1f} s", summary.seconds);
    if (summary.nonFiniteSamples > 0)
        return fmt::format("{} samples are not finite numbers and count as silence; check the program that "
                           "wrote the file",
                           summary.nonFiniteSamples);
    return model.notice;
}

} // namespace

// The thread's as much as the owner's: it outlives the owner where the file system does not answer.
struct FileSession::State {
    State(std::filesystem::path recordingFile, ModelLoader modelLoader, SessionSettings sessionSettings)
        : recording(std::move(recordingFile))
        , loader(std::move(modelLoader))
        , settings(sessionSettings) {
        history.update([](Status& status) { status.state = streaming::State::loading; });
    }

    void work(const StopToken& stop) noexcept;
    void listen();
    void listen(audio::AudioFile& file, LoadedModel model);
    std::unique_ptr<detection::Analyzer> makeAnalyzer(std::unique_ptr<AbandonableModel> network,
                                                      const LoadedModel& model);
    void showHeard(double seconds, std::optional<double> total);
    void finish(const std::string& message);
    void fail(const std::string& message);

    const std::filesystem::path recording;
    const ModelLoader loader;
    const SessionSettings settings;
    LiveHistory history;
    std::atomic<bool> cancelled{false};
    StopToken abandoned; // the thread's
};

void FileSession::State::work(const StopToken& stop) noexcept {
    abandoned = stop;
    try {
        try {
            listen();
        } catch (const Stopped&) {
            finish({});
        } catch (const std::bad_alloc&) {
            fail(displayName(recording.filename()) +
                 ": there is not enough memory; close other programs or choose a smaller model");
        } catch (const std::exception& error) {
            fail(error.what());
        } catch (...) {
            fail(displayName(recording.filename()) + ": the analysis failed; try again");
        }
    } catch (...) { // there is not even memory for the reason
        history.update([](Status& status) { status.state = streaming::State::failed; });
    }
}

void FileSession::State::listen() {
    tensor::setThreadCount(std::max(1, settings.threads));
    // First: what is wrong with the recording is known at once.
    audio::AudioFile file(recording);
    abandoned.check();
    if (!loader) throw Error("No model is loaded: choose one");
    LoadedModel model = loader(abandoned);
    if (cancelled)
        finish("Stopped before anything was heard");
    else
        listen(file, std::move(model));
}

std::unique_ptr<detection::Analyzer>
FileSession::State::makeAnalyzer(std::unique_ptr<AbandonableModel> network, const LoadedModel& model) {
    const int classes = network->classes();
    checkLabels(model, classes);
    const detection::PassShape shape = network->shape();
    const int longest = std::max(1, detection::longestHop(shape, settings.mode));
    const int hop = settings.hopTokens == 0 ? detection::usualHop(shape, settings.mode)
                                            : std::clamp(settings.hopTokens, 1, longest);
    auto analyzer = std::make_unique<detection::Analyzer>(
        std::move(network), model.frontend,
        detection::AnalyzerSettings{.mode = settings.mode, .hopTokens = hop, .threads = settings.threads});
    history.update([&](Status& status) {
        status.model = model.name;
        status.precision = model.precision;
        status.message = model.notice;
        status.classes = classes;
        status.hop = hop * analyzer->timeline().secondsPerColumn();
        status.hopWanted = status.hop;
    });
    return analyzer;
}

void FileSession::State::listen(audio::AudioFile& file, LoadedModel model) {
    const auto analyzer =
        makeAnalyzer(std::make_unique<AbandonableModel>(std::move(model.network), abandoned), model);
    history.begin(model.labels, analyzer->timeline(), model.frontend);
    std::optional<double> length;
    if (file.frames() > 0) length = static_cast<double>(file.frames()) / file.sampleRate();
    showHeard(0.0, length);
    const auto show = [&] {
        history.addFrames(analyzer->takeFrames());
        history.add(analyzer->timeline());
    };
    const auto summary = detection::analyzeFile(file, *analyzer, model.frontend.sampleRate,
                                                [&](double seconds, std::optional<double> total) {
                                                    abandoned.check();
                                                    show();
                                                    showHeard(seconds, total);
                                                    return !cancelled;
                                                });
    show();
    finish(conclusion(summary, model));
}

void FileSession::State::showHeard(double seconds, std::optional<double> total) {
    history.update([&](Status& status) {
        status.state = streaming::State::running;
        status.heard = seconds;
        if (total) status.progress = std::clamp(seconds / *total, 0.0, 1.0);
    });
}

void FileSession::State::finish(const std::string& message) {
    history.update([&](Status& status) {
        status.state = streaming::State::finished;
        status.message = message;
        status.progress.reset();
    });
}

void FileSession::State::fail(const std::string& message) {
    history.update([&](Status& status) {
        status.state = streaming::State::failed;
        status.message = message;
        status.progress.reset();
    });
}

FileSession::FileSession(std::filesystem::path recording, ModelLoader loader, SessionSettings settings)
    : state_(std::make_shared<State>(std::move(recording), std::move(loader), settings))
    , job_([state = state_](const StopToken& stop) { state->work(stop); }) {}
FileSession::~FileSession() = default;

const std::filesystem::path& FileSession::recording() const { return state_->recording; }
void FileSession::cancel() { state_->cancelled = true; }
Status FileSession::status() const { return state_->history.status(); }
bool FileSession::copySince(History& copy) const { return state_->history.copySince(copy); }

} // namespace earshot::streaming
