#include "Core/Streaming/Session.h"

#include "Core/Streaming/AudioRing.h"
#include "Core/Streaming/Showcase.h"
#include "Core/Streaming/StreamAnalysis.h"
#include "Core/Tensor/Threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace earshot::streaming {

namespace {

using namespace std::chrono_literals;

constexpr double ringSeconds = 6.0;
constexpr double lowestRate = 1e3; // Hz
constexpr double highestRate = 1e6;
constexpr auto pollEvery = 10ms; // the worker looks for audio: the audio thread wakes nobody
constexpr auto waitForRoom = 1ms;

// What the worker is to do next.
struct Commands {
    std::optional<SessionSettings> settings;
    std::optional<ModelLoader> loader;
    bool begin = false;
    bool end = false;
    bool quit = false;

    bool any() const { return settings || loader || begin || end || quit; }
};

} // namespace

struct Session::Impl {
    ~Impl();

    void prepare(double sampleRate, bool offline);
    void release();
    void endStream();
    void setModel(ModelLoader loader);
    void startWorker();
    void refuse(const std::string& reason);
    void showFailure(const std::string& reason);

    void work();
    void begin();
    Commands nextCommands(bool busy);
    void load();
    bool analyse();
    void end();
    template <typename Action>
    bool attempt(Action&& action);
    void fail(const std::string& reason);

    Showcase showcase;

    std::mutex lifecycle; // prepare() and release()
    bool refused = false; // by the last prepare(); theirs
    std::mutex mutex;     // all up to the worker's own
    std::condition_variable changed;
    std::condition_variable ended;
    Commands commands;
    bool streaming = false; // from prepare() until the worker has ended the stream
    bool offline = false;
    std::function<void(const Published&)> listener;
    std::unique_ptr<AudioRing> ring; // stays until the next prepare()

    std::atomic<AudioRing*> open = nullptr; // for push(), while there is a stream
    std::atomic<bool> pushing = false;

    // The worker's own:
    StreamAnalysis analysis{showcase};
    ModelLoader loader;
    std::thread worker; // last: everything else is there while it runs
};

Session::Impl::~Impl() {
    release();
    {
        const std::lock_guard lock(mutex);
        commands.quit = true;
    }
    changed.notify_one();
    if (worker.joinable()) worker.join();
}

void Session::Impl::startWorker() {
    if (!worker.joinable()) worker = std::thread([this] { work(); });
}

void Session::Impl::refuse(const std::string& reason) {
    refused = true;
    showFailure(reason);
}

void Session::Impl::showFailure(const std::string& reason) {
    showcase.update([&](Status& status) {
        status.state = State::failed;
        status.message = reason;
    });
}

void Session::Impl::prepare(double sampleRate, bool willBeOffline) {
    const std::lock_guard once(lifecycle);
    endStream();
    if (!(sampleRate >= lowestRate && sampleRate <= highestRate)) {
        refuse(fmt::format("Earshot cannot listen at {} Hz: choose a sample rate from 1 kHz to 1 MHz",
                           sampleRate));
        return;
    }
    try {
        auto prepared = std::make_unique<AudioRing>(sampleRate, ringSeconds);
        const std::lock_guard lock(mutex);
        startWorker();
        ring = std::move(prepared);
        offline = willBeOffline;
        streaming = true;
        commands.begin = true;
    } catch (const std::exception& error) {
        refuse(fmt::format("Earshot cannot start listening: {}", error.what()));
        return;
    }
    changed.notify_one();
    open.store(ring.get());
}

void Session::Impl::release() {
    const std::lock_guard once(lifecycle);
    endStream();
}

void Session::Impl::endStream() {
    open.store(nullptr);
    while (pushing.load()) std::this_thread::sleep_for(waitForRoom);
    if (std::exchange(refused, false))
        showcase.update([](Status& status) {
            status.state = State::stopped;
            status.message.clear();
        });
    std::unique_lock lock(mutex);
    if (!streaming) return;
    commands.end = true;
    changed.notify_one();
    ended.wait(lock, [this] { return !streaming; });
}

void Session::Impl::setModel(ModelLoader newLoader) {
    showcase.update([](Status& status) {
        status.state = State::loading;
        status.message.clear();
    });
    {
        const std::lock_guard lock(mutex);
        commands.loader = std::move(newLoader);
        startWorker();
    }
    changed.notify_one();
}

Commands Session::Impl::nextCommands(bool busy) {
    std::unique_lock lock(mutex);
    const auto any = [this] { return commands.any(); };
    if (!busy) {
        if (analysis.streams())
            changed.wait_for(lock, pollEvery, any);
        else
            changed.wait(lock, any);
    }
    return std::exchange(commands, {});
}

void Session::Impl::work() {
    tensor::setThreadCount(SessionSettings{}.threads); // until there are others: of loading, too
    for (bool busy = false;;) {
        Commands next = nextCommands(busy);
        if (next.begin) attempt([this] { begin(); });
        if (next.settings) attempt([&] { analysis.setSettings(*next.settings); });
        const bool given = next.loader.has_value();
        if (given) loader = std::move(*next.loader);
        // What failed before is tried again with a new stream and with other settings.
        const bool again = !analysis.hasModel() && (next.begin || (next.settings && loader));
        if (given || again) load();
        busy = analysis.streams() && analyse();
        if (next.end) end();
        if (next.quit) return;
    }
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
    analysis.abandon();
    if (!loader) {
        fail("No model is loaded: choose one");
        return;
    }
    showcase.update([](Status& status) {
        status.state = State::loading;
        status.message.clear();
    });
    attempt([this] { analysis.setModel(loader()); });
}

// True when there is more to do at once.
bool Session::Impl::analyse() {
    bool more = false;
    if (analysis.hasModel()) attempt([&] { more = analysis.step(); });
    if (!analysis.hasModel()) analysis.discard();
    return more;
}

void Session::Impl::end() {
    attempt([this] { analysis.end(); });
    analysis.close();
    {
        const std::lock_guard lock(mutex);
        streaming = false;
    }
    ended.notify_all();
}

template <typename Action>
bool Session::Impl::attempt(Action&& action) {
    try {
        action();
        return true;
    } catch (const std::exception& error) {
        fail(error.what());
    }
    return false;
}

void Session::Impl::fail(const std::string& reason) {
    try {
        analysis.abandon();
    } catch (const std::exception&) {
        // The listener itself may be what failed; the first reason is the one to show.
    }
    analysis.dropModel();
    showFailure(reason);
}

Session::Session()
    : impl_(std::make_unique<Impl>()) {}
Session::~Session() = default;

void Session::setListener(std::function<void(const Published&)> listener) {
    const std::lock_guard lock(impl_->mutex);
    impl_->listener = std::move(listener);
}

void Session::setModel(ModelLoader loader) { impl_->setModel(std::move(loader)); }

void Session::setSettings(const SessionSettings& settings) {
    {
        const std::lock_guard lock(impl_->mutex);
        impl_->commands.settings = settings;
    }
    impl_->changed.notify_one();
}

void Session::prepare(double sampleRate, bool offline) { impl_->prepare(sampleRate, offline); }
void Session::release() { impl_->release(); }

void Session::push(std::span<const float> mono, const HostTime& host) noexcept EARSHOT_REALTIME {
    // release() closes the ring, then waits until nobody is in here.
    impl_->pushing.store(true);
    if (AudioRing* ring = impl_->open.load()) ring->push(mono, host);
    impl_->pushing.store(false);
}

void Session::pushAndWait(std::span<const float> mono, const HostTime& host) noexcept {
    impl_->pushing.store(true);
    HostTime time = host;
    for (AudioRing* ring = impl_->open.load(); ring != nullptr && !mono.empty(); ring = impl_->open.load()) {
        const auto chunk = mono.first(std::min(mono.size(), AudioRing::chunkSamples));
        if (!ring->tryPush(chunk, time)) {
            std::this_thread::sleep_for(waitForRoom);
            continue;
        }
        time.seconds += static_cast<double>(chunk.size()) / ring->sampleRate();
        mono = mono.subspan(chunk.size());
    }
    impl_->pushing.store(false);
}

Status Session::status() const { return impl_->showcase.status(); }
bool Session::copySince(History& copy) const { return impl_->showcase.copySince(copy); }

} // namespace earshot::streaming
