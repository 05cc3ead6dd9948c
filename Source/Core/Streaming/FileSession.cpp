#include "Core/Streaming/FileSession.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Detection/Analyzer.h"
#include "Core/Detection/FileAnalysis.h"
#include "Core/Streaming/Showcase.h"
#include "Core/Tensor/Threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <new>
#include <thread>
#include <utility>

namespace earshot::streaming {

namespace {

// Nobody wants the rest: leaves the analysis between two passes.
class Abandoned : public std::exception {};

// The model, but for passes that nobody waits for any more.
class AbandonableModel : public detection::TokenModel {
  public:
    AbandonableModel(std::unique_ptr<detection::TokenModel> model, const std::atomic<bool>& abandoned)
        : model_(std::move(model))
        , abandoned_(abandoned) {}

    int melBands() const override { return model_->melBands(); }
    int windowFrames() const override { return model_->windowFrames(); }
    int framesPerToken() const override { return model_->framesPerToken(); }
    int classes() const override { return model_->classes(); }
    detection::PassShape shape() const {
        return {.windowFrames = windowFrames(), .framesPerToken = framesPerToken()};
    }

    void run(std::span<const float> logMel, std::span<float> probabilities) override {
        if (abandoned_) throw Abandoned();
        model_->run(logMel, probabilities);
    }
    void expectHop(int hop, int stretch) override { model_->expectHop(hop, stretch); }
    std::unique_ptr<detection::TokenModel> another() const override {
        auto other = model_->another();
        return other ? std::make_unique<AbandonableModel>(std::move(other), abandoned_) : nullptr;
    }

  private:
    std::unique_ptr<detection::TokenModel> model_;
    const std::atomic<bool>& abandoned_;
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

struct FileSession::Impl {
    Impl(std::filesystem::path recordingFile, ModelLoader modelLoader, SessionSettings sessionSettings)
        : recording(std::move(recordingFile))
        , loader(std::move(modelLoader))
        , settings(sessionSettings) {
        showcase.update([](Status& status) { status.state = State::loading; });
        thread = std::thread([this] { work(); });
    }

    ~Impl() {
        cancelled = true;
        abandoned = true;
        thread.join();
    }

    void work();
    void listen();
    void listen(audio::AudioFile& file, LoadedModel model);
    std::shared_ptr<detection::Analyzer> makeAnalyzer(std::unique_ptr<AbandonableModel> network,
                                                      const LoadedModel& model);
    void showHeard(double seconds, std::optional<double> total);
    void finish(const std::string& message);
    void fail(const std::string& message);

    const std::filesystem::path recording;
    const ModelLoader loader;
    const SessionSettings settings;
    Showcase showcase;
    std::atomic<bool> cancelled{false};
    std::atomic<bool> abandoned{false};
    std::thread thread; // last: everything else is there while it runs
};

void FileSession::Impl::work() {
    try {
        listen();
    } catch (const Abandoned&) {
        finish({});
    } catch (const std::bad_alloc&) {
        fail(displayName(recording.filename()) +
             ": there is not enough memory; close other programs or choose a smaller model");
    } catch (const std::exception& error) {
        fail(error.what());
    }
}

void FileSession::Impl::listen() {
    tensor::setThreadCount(std::max(1, settings.threads));
    // First: what is wrong with the recording is known at once.
    audio::AudioFile file(recording);
    if (!loader) throw Error("No model is loaded: choose one");
    LoadedModel model = loader();
    if (cancelled)
        finish("Stopped before anything was heard");
    else
        listen(file, std::move(model));
}

std::shared_ptr<detection::Analyzer>
FileSession::Impl::makeAnalyzer(std::unique_ptr<AbandonableModel> network, const LoadedModel& model) {
    const int classes = network->classes();
    checkLabels(model, classes);
    const detection::PassShape shape = network->shape();
    const int longest = std::max(1, detection::longestHop(shape, settings.mode));
    const int hop = settings.hopTokens == 0 ? detection::usualHop(shape, settings.mode)
                                            : std::clamp(settings.hopTokens, 1, longest);
    auto analyzer = std::make_shared<detection::Analyzer>(
        std::move(network), model.frontend,
        detection::AnalyzerSettings{.mode = settings.mode, .hopTokens = hop, .threads = settings.threads});
    analyzer->setFrameObserver([this](std::span<const float> logMel) { showcase.addFrames(logMel); });
    showcase.update([&](Status& status) {
        status.model = model.name;
        status.precision = model.precision;
        status.message = model.notice;
        status.classes = classes;
        status.hop = hop * analyzer->timeline().secondsPerColumn();
        status.hopWanted = status.hop;
    });
    return analyzer;
}

void FileSession::Impl::listen(audio::AudioFile& file, LoadedModel model) {
    const auto analyzer =
        makeAnalyzer(std::make_unique<AbandonableModel>(std::move(model.network), abandoned), model);
    showcase.replace(model.labels, analyzer, model.frontend);
    std::optional<double> length;
    if (file.frames() > 0) length = static_cast<double>(file.frames()) / file.sampleRate();
    showHeard(0.0, length);
    const auto summary = detection::analyzeFile(file, *analyzer, model.frontend.sampleRate,
                                                [this](double seconds, std::optional<double> total) {
                                                    showHeard(seconds, total);
                                                    return !cancelled;
                                                });
    analyzer->dropModel(); // it stays for what it has heard
    finish(conclusion(summary, model));
}

void FileSession::Impl::showHeard(double seconds, std::optional<double> total) {
    showcase.update([&](Status& status) {
        status.state = State::running;
        status.heard = seconds;
        if (total) status.progress = std::clamp(seconds / *total, 0.0, 1.0);
    });
}

void FileSession::Impl::finish(const std::string& message) {
    showcase.update([&](Status& status) {
        status.state = State::finished;
        status.message = message;
        status.progress.reset();
    });
}

void FileSession::Impl::fail(const std::string& message) {
    showcase.update([&](Status& status) {
        status.state = State::failed;
        status.message = message;
        status.progress.reset();
    });
}

FileSession::FileSession(std::filesystem::path recording, ModelLoader loader, SessionSettings settings)
    : impl_(std::make_unique<Impl>(std::move(recording), std::move(loader), settings)) {}
FileSession::~FileSession() = default;

const std::filesystem::path& FileSession::recording() const { return impl_->recording; }
void FileSession::cancel() { impl_->cancelled = true; }
Status FileSession::status() const { return impl_->showcase.status(); }
bool FileSession::copySince(History& copy) const { return impl_->showcase.copySince(copy); }

} // namespace earshot::streaming
