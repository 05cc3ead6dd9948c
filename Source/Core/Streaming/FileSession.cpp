#include "Core/Streaming/FileSession.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/RecordingStart.h"
#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Windows/Analyzer.h"
#include "Core/Detection/Windows/RecordingAnalysis.h"
#include "Core/Detection/Windows/ScoredTimeline.h"
#include "Core/Streaming/LiveHistory.h"
#include "Core/Tensor/Threads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace earshot::streaming {

namespace {

// What the user is to know of the analysis that has ended; usually empty. channel: the last one that was
// analysed by itself, from 1; 0: none was.
std::string conclusion(const detection::FileSummary& summary, int channel) {
    if (summary.failure) return *summary.failure;
    if (summary.stopped)
        return fmt::format("Stopped after {:.1f} s", summary.seconds) +
               (channel > 0 ? fmt::format(" of channel {}", channel) : "");
    return fmt::format("{}", fmt::join(summary.warnings, "; "));
}

void addNew(std::vector<std::string>& warnings, std::vector<std::string> others) {
    for (std::string& other : others)
        if (std::ranges::count(warnings, other) == 0) warnings.push_back(std::move(other));
}

} // namespace

// The owner and the job's thread share it: if the file system does not answer, it outlives the owner.
struct FileSession::State {
    State(std::filesystem::path recordingFile, ModelLoader modelLoader, SessionSettings sessionSettings)
        : recording(std::move(recordingFile))
        , loader(std::move(modelLoader))
        , settings(sessionSettings) {
        history.update([](Status& status) { status.state = streaming::State::loading; });
    }

    void work(const StopToken& stop) noexcept;
    void listen(const StopToken& stop);
    void listen(audio::AudioFile& file, LoadedModel model, const StopToken& stop);
    detection::FileSummary listen(audio::AudioFile& file, LoadedModel& model, detection::Analyzer& analyzer,
                                  std::size_t channel, const StopToken& stop);
    std::vector<std::string> chooseChannels(const audio::AudioFile& file);
    LiveHistory& of(std::size_t channel) { return channel == 0 ? history : *others[channel - 1]; }
    std::unique_ptr<detection::Analyzer> makeAnalyzer(LoadedModel& model, const StopToken& stop);
    void showHeard(double seconds, std::optional<double> total, std::size_t channel);
    void finish(const std::string& message, bool incomplete);
    void fail(const std::string& message);
    WordsLoader nextWords(bool last);
    void putBack(WordsLoader words);
    std::optional<std::string> score(const WordsLoader& next, const StopToken& stop,
                                     detection::Analyzer* analyzer, std::size_t channel);
    void rescore();

    const std::filesystem::path recording;
    const ModelLoader loader;
    const SessionSettings settings;
    LiveHistory history; // of the first channel that is analysed, with the status of all
    // Of the other channels. It stands before history's status names them.
    std::vector<std::unique_ptr<LiveHistory>> others;
    std::shared_ptr<const detection::Labels> labels; // of the words or the model; only for the job's thread
    std::string ending; // conclusion(), once the analysis has ended; only for the job's thread
    StopSource gone;    // stops when the owner goes. cancel() stops the analysis alone

    std::atomic<bool> opened = false;

    std::mutex mutex;         // guards the next two
    WordsLoader waitingWords; // may be empty
    bool idle = false;        // no thread looks at waitingWords any more
};

void FileSession::State::work(const StopToken& stop) noexcept {
    try {
        try {
            listen(stop);
        } catch (const Stopped&) {
            ending = "Stopped before anything was analysed";
            finish(ending, true);
        } catch (const std::bad_alloc&) {
            logCaught("analysing a recording");
            fail(displayName(recording.filename()) +
                 ": there is not enough memory; close other programs or choose a smaller model");
        } catch (...) {
            logCaught("analysing a recording");
            fail(caughtCause());
        }
        rescore();
    } catch (...) { // not enough memory for the message
        logCaught("analysing a recording");
        history.update([](Status& status) { status.state = streaming::State::failed; });
    }
}

// Returns the loader that waits, which may be empty. last: if it is, nobody asks again.
WordsLoader FileSession::State::nextWords(bool last) {
    const std::lock_guard lock(mutex);
    auto next = std::exchange(waitingWords, {});
    idle = last && !next;
    return next;
}

// Words that a cancel stopped wait again, unless others have come.
void FileSession::State::putBack(WordsLoader words) {
    const std::lock_guard lock(mutex);
    if (!waitingWords) waitingWords = std::move(words);
}

// Scores what was heard again for other words. Returns what the user is to know; nothing if it was stopped.
// analyzer: of the analysis that goes on, with `channel`; null: it has ended.
std::optional<std::string> FileSession::State::score(const WordsLoader& next, const StopToken& stop,
                                                     detection::Analyzer* analyzer, std::size_t channel) {
    try {
        const auto words = next(stop);
        const auto check = [&](const detection::Timeline* vectors) {
            if (vectors == nullptr || !words.scorer || words.scorer->values() != vectors->classes())
                throw Error("Open the recording again to listen for these words");
        };
        for (std::size_t i = 0; i <= others.size(); ++i) {
            if (analyzer != nullptr && i >= channel) break;
            const auto* vectors = of(i).vectors();
            if (i > 0 && vectors == nullptr) break; // it was stopped before this channel
            check(vectors);
            detection::ScoredTimeline scored(words.scorer, vectors->secondsPerColumn());
            scored.follow(*vectors);
            of(i).rescore(words.labels, scored.timeline());
        }
        if (analyzer != nullptr) {
            check(analyzer->vectors());
            analyzer->score(words.scorer, *analyzer->vectors());
            of(channel).rescore(words.labels, analyzer->timeline());
        }
        labels = words.labels;
        return words.notice;
    } catch (const Stopped&) {
        return std::nullopt;
    } catch (...) {
        logCaught("scoring text queries");
        return caughtCause();
    }
}

// Scores what was heard for the words that have come until nobody asks again. Why a recording failed stays.
void FileSession::State::rescore() {
    while (const auto next = nextWords(true)) {
        const auto notice = score(next, gone.token(), nullptr, 0);
        if (!notice) continue;
        history.update([&](Status& status) {
            if (status.state != streaming::State::failed) status.message = notice->empty() ? ending : *notice;
        });
    }
}

void FileSession::State::listen(const StopToken& stop) {
    tensor::setThreadCount(std::max(1, settings.threads));
    // Open the recording before the model loads, so that its faults show at once.
    audio::AudioFile file(recording, Pipes::refused, {.channel = settings.channel});
    opened = true;
    stop.check();
    history.update([&](Status& status) { status.began = audio::startOf(recording); });
    stop.check();
    if (!loader) throw Error("No model is loaded: choose one");
    LoadedModel model = loader(stop);
    stop.check();
    listen(file, std::move(model), stop);
}

std::unique_ptr<detection::Analyzer> FileSession::State::makeAnalyzer(LoadedModel& model,
                                                                      const StopToken& stop) {
    if (model.plain) model.network = model.plain();
    const int classes = model.network->classes();
    checkLabels(model, classes);
    const detection::PassShape shape{.windowFrames = model.network->windowFrames(),
                                     .framesPerToken = model.network->framesPerToken()};
    const int longest = std::max(1, detection::maxHop(shape, settings.mode));
    const double secondsPerToken =
        static_cast<double>(shape.framesPerToken) * model.frontend.hopSize / model.frontend.sampleRate;
    const int hop = settings.hopSeconds == 0.0
                        ? detection::usualHop(shape, settings.mode)
                        : detection::hopOf(settings.hopSeconds, secondsPerToken, longest);
    auto analyzer = std::make_unique<detection::Analyzer>(
        std::move(model.network), model.frontend,
        detection::AnalyzerSettings{
            .mode = settings.mode, .hopTokens = hop, .threads = settings.threads, .stop = stop});
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

// Makes the histories. Returns what the user is to know of channels that have none.
std::vector<std::string> FileSession::State::chooseChannels(const audio::AudioFile& file) {
    std::vector<int> channels;
    if (settings.channel > 0) channels = {settings.channel};
    if (settings.channel == audio::ReadOptions::eachChannel) {
        channels.resize(static_cast<std::size_t>(std::min(file.channels(), maxChannels)));
        std::iota(channels.begin(), channels.end(), 1);
    }
    for (std::size_t i = 1; i < channels.size(); ++i) others.push_back(std::make_unique<LiveHistory>());
    history.update([&](Status& status) { status.channels = channels; });
    if (channels.size() < maxChannels || file.channels() <= maxChannels) return {};
    return {fmt::format("has {} channels; the first {} are analysed, the list of recordings analyses all",
                        file.channels(), maxChannels)};
}

void FileSession::State::listen(audio::AudioFile& file, LoadedModel model, const StopToken& stop) {
    const auto analyzer = makeAnalyzer(model, stop);
    labels = model.labels;
    auto warnings = chooseChannels(file);
    const bool each = settings.channel == audio::ReadOptions::eachChannel;
    detection::FileSummary summary;
    int last = 0;
    for (std::size_t i = 0; i <= others.size() && !summary.failure && !summary.stopped; ++i) {
        if (each) file.chooseChannel(last = static_cast<int>(i) + 1);
        summary = listen(file, model, *analyzer, i, stop);
        addNew(warnings, std::move(summary.warnings));
    }
    summary.warnings = std::move(warnings);
    ending = conclusion(summary, last);
    finish(ending.empty() ? model.notice : ending, summary.failure || summary.stopped);
}

detection::FileSummary FileSession::State::listen(audio::AudioFile& file, LoadedModel& model,
                                                  detection::Analyzer& analyzer, std::size_t channel,
                                                  const StopToken& stop) {
    analyzer.reset();
    LiveHistory& shown = of(channel);
    shown.begin(labels, analyzer.timeline(), model.frontend, {}, analyzer.vectors());
    std::optional<double> length;
    if (file.frames() > 0) length = static_cast<double>(file.frames()) / file.sampleRate();
    showHeard(0.0, length, channel);
    const auto show = [&] {
        shown.addFrames(analyzer.takeFrames());
        shown.add(analyzer.timeline(), analyzer.vectors());
        const auto next = nextWords(false);
        if (!next) return;
        if (const auto notice = score(next, stop, &analyzer, channel))
            model.notice = *notice;
        else
            putBack(next);
    };
    auto summary = detection::analyzeFile(file, analyzer, model.frontend.sampleRate,
                                          [&](double seconds, std::optional<double> total) {
                                              stop.alive();
                                              show();
                                              showHeard(seconds, total, channel);
                                              return !stop.requested();
                                          });
    show();
    return summary;
}

// seconds: of this channel
void FileSession::State::showHeard(double seconds, std::optional<double> total, std::size_t channel) {
    history.update([&](Status& status) {
        status.state = streaming::State::running;
        status.heard = seconds;
        if (total)
            status.progress = (static_cast<double>(channel) + std::clamp(seconds / *total, 0.0, 1.0)) /
                              static_cast<double>(others.size() + 1);
    });
}

void FileSession::State::finish(const std::string& message, bool incomplete) {
    history.update([&](Status& status) {
        status.state = streaming::State::finished;
        status.message = message;
        status.incomplete = incomplete;
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
FileSession::~FileSession() { state_->gone.stop(); }

const std::filesystem::path& FileSession::recording() const { return state_->recording; }
bool FileSession::opened() const { return state_->opened; }

void FileSession::cancel() { job_.stop(); }

void FileSession::setWords(WordsLoader words) {
    const std::lock_guard lock(state_->mutex);
    state_->waitingWords = std::move(words);
    if (!std::exchange(state_->idle, false)) return;
    job_ = BackgroundThread([state = state_](const StopToken&) {
        try {
            tensor::setThreadCount(std::max(1, state->settings.threads));
            state->rescore();
        } catch (...) { // not enough memory for a message
            logCaught("scoring text queries");
            state->history.update([](Status& status) { status.state = streaming::State::failed; });
        }
    });
}

Status FileSession::status() const {
    Status status = state_->history.status();
    for (std::size_t i = 1; i < status.channels.size(); ++i) {
        const Kept kept = state_->of(i).status().kept;
        status.kept.columns.bytes += kept.columns.bytes;
        status.kept.spectrogram.bytes += kept.spectrogram.bytes;
        status.kept.vectors.bytes += kept.vectors.bytes;
    }
    return status;
}
bool FileSession::copySince(History& copy) const { return state_->history.copySince(copy); }
const HistoryProvider& FileSession::channel(std::size_t index) const { return state_->of(index); }

} // namespace earshot::streaming
