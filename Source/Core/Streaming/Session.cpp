#include "Core/Streaming/Session.h"

#include "Core/Base/BackgroundThread.h"
#include "Core/Base/Log.h"
#include "Core/Base/RealtimeBarrier.h"
#include "Core/Streaming/AudioRing.h"
#include "Core/Streaming/LiveHistory.h"
#include "Core/Streaming/LoadOutcome.h"
#include "Core/Streaming/StreamAnalysis.h"
#include "Core/Tensor/Threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace earshot::streaming {

namespace {

using namespace std::chrono_literals;

constexpr double ringSeconds = 6.0;
constexpr double minRate = 1e3; // Hz
constexpr double maxRate = 1e6;
constexpr auto pollEvery = 10ms; // the worker polls for audio, because the audio thread never wakes it
constexpr auto waitForRoom = 1ms;
// When a live stream ends, how long to wait for a model that is still loading.
constexpr auto waitForModel = 200ms;
// A bounce gives up its model once the model's file has not answered for this long.
constexpr auto fileIsGone = 10s;

// The present model with other words.
struct WordsChange {
    WordsLoader words;
    ModelLoader model;
};

// Requests to the worker.
struct Commands {
    std::optional<SessionSettings> settings;
    std::optional<ModelLoader> loader;
    std::optional<WordsChange> words; // of the model that was there before `loader`, so never with it
    bool begin = false;
    bool end = false;
    bool quit = false;
    bool analyse = false; // pushed audio, without waiting for the next poll

    bool any() const { return settings || loader || words || begin || end || quit || analyse; }
};

} // namespace

struct Session::Impl {
    ~Impl();

    void prepare(double sampleRate, bool offline);
    void release(std::chrono::milliseconds within);
    void leave();
    void endStream(std::chrono::milliseconds within);
    void setModel(ModelLoader loader);
    void setWords(WordsChange change);
    void startWorker();
    void waitUntilHeard() noexcept;
    void showFailure(const std::string& reason);

    void work();
    bool obey(Commands& next);
    void begin();
    Commands nextCommands(bool busy);
    void load();
    void takeModel();
    void loadWords();
    void takeWords();
    void waitForLoading();
    bool analyse();
    void tellHeard();
    std::chrono::steady_clock::time_point latestEnd();
    void end();
    template <typename Action>
    void attempt(Action&& action) noexcept;
    void fail(const char* reason) noexcept;

    const std::shared_ptr<LiveHistory> shared = std::make_shared<LiveHistory>();
    LiveHistory& history = *shared;

    std::mutex lifecycle; // serialises prepare() and release()
    std::mutex mutex;     // guards the members from here to `ring`
    std::condition_variable changed;
    std::condition_variable ended;
    std::condition_variable caughtUp;
    Commands commands;
    bool streaming = false; // from prepare() until the worker has ended the stream
    bool offline = false;
    std::chrono::steady_clock::time_point endBy; // with commands.end: when a bounce ends at the latest
    std::int64_t heard = 0; // the stream position up to which all windows have been heard
    std::function<void(const Published&)> listener;
    std::unique_ptr<AudioRing> ring; // stays until the next prepare()

    RealtimeBarrier barrier;           // open for push() while a stream runs
    std::atomic<bool> leaving = false; // leave() was called: discard the audio that is not analysed yet

    // Only the worker uses these:
    StreamAnalysis analysis{history};
    ModelLoader loader;
    std::shared_ptr<LoadOutcome<LoadedModel>> outcome; // of the loading thread; null: no model is loading
    BackgroundThread loading;
    WordsLoader waitingWords;                           // for the model that is loading; may be empty
    std::shared_ptr<LoadOutcome<LoadedWords>> newWords; // null: no words are loading
    BackgroundThread loadingWords;
    BackgroundThread worker; // declared last, so that it ends before the members that it uses
};

Session::Impl::~Impl() {
    leave();
    {
        const std::lock_guard lock(mutex);
        commands.quit = true;
    }
    changed.notify_one();
    worker.end();
}

void Session::Impl::startWorker() {
    if (!worker.running()) worker = BackgroundThread::resident([this] { work(); });
}

void Session::Impl::showFailure(const std::string& reason) {
    history.update([&](Status& status) {
        status.state = State::failed;
        status.message = reason;
    });
}

void Session::Impl::prepare(double sampleRate, bool willBeOffline) {
    const std::lock_guard once(lifecycle);
    endStream(maxBounceEnd);
    if (!(sampleRate >= minRate && sampleRate <= maxRate)) {
        history.refuse(fmt::format("Earshot cannot listen at {} Hz: choose a sample rate from 1 kHz to 1 MHz",
                                   sampleRate));
        return;
    }
    try {
        auto prepared = std::make_unique<AudioRing>(sampleRate, ringSeconds);
        const std::lock_guard lock(mutex);
        startWorker();
        ring = std::move(prepared);
        offline = willBeOffline;
        heard = 0;
        streaming = true;
        commands.begin = true;
    } catch (...) {
        logCaught("starting a stream");
        history.refuse(fmt::format("Earshot cannot start listening: {}", caughtCause()));
        return;
    }
    changed.notify_one();
    barrier.open();
}

void Session::Impl::release(std::chrono::milliseconds within) {
    const std::lock_guard once(lifecycle);
    endStream(within);
}

void Session::Impl::leave() {
    leaving = true;
    release(maxBounceEnd);
}

void Session::Impl::endStream(std::chrono::milliseconds within) {
    barrier.close();
    history.refuse({});
    std::unique_lock lock(mutex);
    if (!streaming) return;
    commands.end = true;
    endBy = std::chrono::steady_clock::now() + within;
    changed.notify_one();
    ended.wait(lock, [this] { return !streaming; });
}

void Session::Impl::setModel(ModelLoader newLoader) {
    history.update([](Status& status) {
        status.state = State::loading;
        status.message.clear();
    });
    {
        const std::lock_guard lock(mutex);
        commands.loader = std::move(newLoader);
        commands.words.reset();
        startWorker();
    }
    changed.notify_one();
}

void Session::Impl::setWords(WordsChange change) {
    {
        const std::lock_guard lock(mutex);
        if (commands.loader)
            commands.loader = std::move(change.model);
        else
            commands.words = std::move(change);
        startWorker();
    }
    changed.notify_one();
}

Commands Session::Impl::nextCommands(bool busy) {
    std::unique_lock lock(mutex);
    const auto any = [this] { return commands.any(); };
    if (!busy) {
        if (analysis.streams() || outcome || newWords)
            changed.wait_for(lock, pollEvery, any);
        else
            changed.wait(lock, any);
    }
    return std::exchange(commands, {});
}

void Session::Impl::work() {
    attempt([] { tensor::setThreadCount(SessionSettings{}.threads); }); // until settings arrive
    for (bool busy = false;;) {
        Commands next = nextCommands(busy);
        busy = false;
        attempt([&] { busy = obey(next); });
        if (next.end) end();
        if (next.quit) break;
    }
    loading.end();
    loadingWords.end();
}

// Returns true if more work waits.
bool Session::Impl::obey(Commands& next) {
    if (next.begin) attempt([this] { begin(); });
    if (next.settings) attempt([&] { analysis.setSettings(*next.settings); });
    const bool given = next.loader.has_value();
    if (given) loader = std::move(*next.loader);
    if (next.words) {
        loader = std::move(next.words->model);
        waitingWords = std::move(next.words->words);
    }
    // A new stream or new settings load a model that failed before once more.
    const bool again = !analysis.hasModel() && !outcome && (next.begin || (next.settings && loader));
    if (given || again) load();
    if (next.end) waitForLoading();
    takeModel();
    loadWords();
    takeWords();
    return analysis.streams() && analyse();
}

void Session::Impl::begin() {
    std::unique_lock lock(mutex);
    AudioRing& audio = *ring;
    const bool bounces = offline;
    auto hears = listener;
    lock.unlock();
    analysis.begin(audio, bounces, std::move(hears));
}

void Session::Impl::load() {
    outcome.reset();
    loading.end();
    waitingWords = {}; // the loader has them
    newWords.reset();
    loadingWords.end();
    attempt([this] { analysis.abandon(); });
    analysis.dropModel();
    if (!loader) {
        fail("No model is loaded: choose one");
        return;
    }
    history.update([](Status& status) {
        status.state = State::loading;
        status.message.clear();
    });
    auto next = std::make_shared<LoadOutcome<LoadedModel>>();
    loading = startLoading(loader, next);
    outcome = std::move(next);
}

void Session::Impl::takeModel() {
    if (!outcome) return;
    if (loading.running()) {
        if (!analysis.bounces() || !loading.silentFor(fileIsGone)) return;
        outcome.reset();
        loading.end();
        fail("The model's file does not answer: check its disk or network, or choose another model");
        return;
    }
    loading.end();
    const auto loaded = std::exchange(outcome, nullptr);
    if (loaded->loaded)
        attempt([&] { analysis.setModel(std::move(*loaded->loaded)); });
    else
        fail(loaded->problem.empty() ? "The model cannot be loaded: close other programs and try again"
                                     : loaded->problem.c_str());
}

// Begins to load words once their model is there. Words that come meanwhile replace those that are loading.
void Session::Impl::loadWords() {
    if (!waitingWords || outcome) return;
    const auto wanted = std::exchange(waitingWords, {});
    newWords.reset();
    loadingWords.end();
    if (!analysis.hasModel()) return; // the next load has them
    auto next = std::make_shared<LoadOutcome<LoadedWords>>();
    attempt([&] {
        loadingWords = startLoading(wanted, next);
        newWords = std::move(next);
    });
}

void Session::Impl::takeWords() {
    if (!newWords || loadingWords.running()) return;
    loadingWords.end();
    const auto taken = std::exchange(newWords, nullptr);
    if (!analysis.hasModel()) return;
    if (!taken->loaded)
        attempt([&] { analysis.setNotice(taken->problem); });
    else if (analysis.canScore(*taken->loaded))
        attempt([&] { analysis.setWords(std::move(*taken->loaded)); });
    else
        load();
}

// Waits for a model that is loading, so that audio already pushed is analysed before the stream ends.
void Session::Impl::waitForLoading() {
    const auto begun = std::chrono::steady_clock::now();
    const auto waits = [&, until = latestEnd()] {
        if (!analysis.anyPushed()) return false;
        const auto now = std::chrono::steady_clock::now();
        return analysis.bounces() ? now < until && !loading.silentFor(fileIsGone)
                                  : now - begun < waitForModel;
    };
    while (outcome && loading.running() && !leaving && waits()) std::this_thread::sleep_for(waitForRoom);
}

// Returns true if more work waits.
bool Session::Impl::analyse() {
    bool more = false;
    if (analysis.hasModel()) attempt([&] { more = analysis.step(); });
    if (!analysis.hasModel() && !outcome) attempt([this] { analysis.keepOnly(); });
    if (!more) tellHeard();
    return more;
}

void Session::Impl::tellHeard() {
    {
        const std::lock_guard lock(mutex);
        heard = analysis.taken();
    }
    caughtUp.notify_all();
}

// Waits until all windows of the pushed audio have been heard, or until the stream ends.
void Session::Impl::waitUntilHeard() noexcept {
    std::unique_lock lock(mutex);
    commands.analyse = true;
    changed.notify_one();
    while (barrier.isOpen() && heard < ring->position()) caughtUp.wait_for(lock, waitForRoom);
}

std::chrono::steady_clock::time_point Session::Impl::latestEnd() {
    const std::lock_guard lock(mutex);
    return endBy;
}

void Session::Impl::end() {
    attempt([this] {
        if (leaving)
            analysis.abandon();
        else
            analysis.end(latestEnd());
    });
    attempt([this] { analysis.close(); });
    {
        const std::lock_guard lock(mutex);
        streaming = false;
    }
    ended.notify_all();
}

template <typename Action>
void Session::Impl::attempt(Action&& action) noexcept {
    try {
        action();
    } catch (const std::bad_alloc&) {
        logCaught("analysing a stream");
        fail("There is not enough memory: close other programs or choose a smaller model");
    } catch (const std::exception& error) {
        logCaught("analysing a stream");
        fail(error.what());
    } catch (...) {
        logCaught("analysing a stream");
        fail("The analysis failed: an exception of unknown kind");
    }
}

void Session::Impl::fail(const char* reason) noexcept {
    try {
        analysis.abandon();
    } catch (...) { // The listener itself may have failed before. Show the first reason.
        logCaught("ending a stream");
    }
    analysis.dropModel();
    try {
        showFailure(reason);
    } catch (...) { // not enough memory for the message
        logCaught("showing why a stream failed");
        history.update([](Status& status) { status.state = State::failed; });
    }
}

Session::Session()
    : impl_(std::make_unique<Impl>()) {}
Session::~Session() = default;

void Session::setListener(std::function<void(const Published&)> listener) {
    const std::lock_guard lock(impl_->mutex);
    impl_->listener = std::move(listener);
}

void Session::setModel(ModelLoader loader) { impl_->setModel(std::move(loader)); }

void Session::setWords(WordsLoader words, ModelLoader model) {
    impl_->setWords({std::move(words), std::move(model)});
}

void Session::setSettings(const SessionSettings& settings) {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->commands.settings = settings;
    }
    impl_->changed.notify_one();
}

void Session::prepare(double sampleRate, bool offline) { impl_->prepare(sampleRate, offline); }
void Session::release(std::chrono::milliseconds within) { impl_->release(within); }
void Session::leave() { impl_->leave(); }

void Session::push(std::span<const float> mono, const HostTime& host) noexcept EARSHOT_REALTIME {
    if (!impl_->barrier.enter()) return;
    impl_->ring->push(mono, host);
    impl_->barrier.leave();
}

void Session::pushAndWait(std::span<const float> mono, const HostTime& host, bool lockstep) noexcept {
    if (!impl_->barrier.enter()) return;
    HostTime time = host;
    while (impl_->barrier.isOpen() && !mono.empty()) {
        const auto chunk = mono.first(std::min(mono.size(), AudioRing::chunkSamples));
        if (!impl_->ring->tryPush(chunk, time)) {
            std::this_thread::sleep_for(waitForRoom);
            continue;
        }
        time.seconds += static_cast<double>(chunk.size()) / impl_->ring->sampleRate();
        mono = mono.subspan(chunk.size());
    }
    if (lockstep) impl_->waitUntilHeard();
    impl_->barrier.leave();
}

Status Session::status() const { return impl_->history.status(); }
bool Session::copySince(History& copy) const { return impl_->history.copySince(copy); }

void Session::setKeepsAudio(bool on) { impl_->history.keepAudio(on); }

bool Session::copyAudio(std::uint64_t stream, double from, double to, std::vector<float>& samples,
                        double& start, int& rate) const {
    return impl_->history.copyAudio(stream, from, to, samples, start, rate);
}

std::shared_ptr<LiveHistory> Session::history() const { return impl_->shared; }

} // namespace earshot::streaming
