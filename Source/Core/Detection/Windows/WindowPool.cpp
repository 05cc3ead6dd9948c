#include "Core/Detection/Windows/WindowPool.h"

#include "Core/Base/BackgroundThread.h"
#include "Core/Tensor/Threads.h"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>

namespace earshot::detection {

namespace {

// How many consecutive windows one thread takes. Longer runs reuse more cached strips but hold more windows
// in memory.
constexpr std::int64_t windowsInARun = 8;

// The frames of consecutive windows, each once. Its memory stays where it is: threads read windows of it
// while the next one is appended.
using Frames = std::vector<float>;

struct Pass {
    std::int64_t run = 0; // the run of consecutive windows that it belongs to
    std::shared_ptr<Frames> frames;
    std::span<const float> image; // (windowFrames, melBands), in `frames`
    std::vector<float> tokens;    // (tokens, values)
    std::exception_ptr failure;
    bool begun = false;
    bool done = false;
};

// One thread's model and its current run.
struct Hand {
    TokenModel& model;
    std::int64_t run = none; // the run that the thread works on

    static constexpr std::int64_t none = -1;
};

void run(TokenModel& model, Pass& job) {
    try {
        model.run(job.image, job.tokens);
    } catch (...) {
        job.failure = std::current_exception();
    }
}

} // namespace

struct WindowPool::Impl {
    Impl(TokenModel& ownModel, std::vector<std::unique_ptr<TokenModel>> otherModels);
    ~Impl();

    void work(Hand& hand);
    void stop();
    void store(std::span<const float> image, int hop, Pass& job);
    // Both need the mutex and return the pass that this thread runs next, or null.
    Pass* begin(Hand& hand);
    Pass* choose(Hand& hand);

    const std::vector<std::unique_ptr<TokenModel>> others;
    std::vector<Hand> hands; // the owner's is first
    std::size_t melBands;
    std::size_t tokenValues; // of one window

    mutable std::mutex mutex;
    std::condition_variable added;          // notified of a new pass, or of quit
    std::condition_variable finished;       // notified when a pass is done
    std::deque<std::unique_ptr<Pass>> jobs; // oldest first
    std::int64_t lastRun = 0;               // of the pass that was added last
    std::int64_t inRun = 0;                 // passes of that run so far
    std::weak_ptr<Frames> lastFrames;       // of the same pass, which ends them
    bool quit = false;
    std::vector<BackgroundThread> threads; // declared last: the threads end first
};

WindowPool::Impl::Impl(TokenModel& ownModel, std::vector<std::unique_ptr<TokenModel>> otherModels)
    : others(std::move(otherModels))
    , melBands(static_cast<std::size_t>(ownModel.melBands()))
    , tokenValues(
          static_cast<std::size_t>(ownModel.windowFrames() / ownModel.framesPerToken() * ownModel.values())) {
    hands.push_back({ownModel});
    for (const auto& model : others) hands.push_back({*model});
    threads.reserve(others.size()); // a job that has no place would be waited for
    try {
        for (std::size_t i = 1; i < hands.size(); ++i)
            threads.push_back(BackgroundThread::resident([this, i] { work(hands[i]); }));
    } catch (...) { // no further thread could be started
        stop();
        throw;
    }
}

WindowPool::Impl::~Impl() { stop(); }

void WindowPool::Impl::stop() {
    {
        const std::lock_guard lock(mutex);
        quit = true;
    }
    added.notify_all();
    threads.clear();
}

Pass* WindowPool::Impl::begin(Hand& hand) {
    Pass* const job = choose(hand);
    if (job != nullptr) job->begun = true;
    return job;
}

// Prefers the next window of this thread's run, then the first of an unclaimed run. If neither exists (near
// the end of a recording), it takes the last window of another thread's run.
Pass* WindowPool::Impl::choose(Hand& hand) {
    Pass *ofNobody = nullptr, *last = nullptr;
    for (const auto& job : jobs) {
        if (job->begun) continue;
        if (job->run == hand.run) return job.get();
        const auto isIn = [&](const Hand& other) { return other.run == job->run; };
        if (ofNobody == nullptr && std::ranges::none_of(hands, isIn)) ofNobody = job.get();
        last = job.get();
    }
    hand.run = ofNobody != nullptr ? ofNobody->run : Hand::none;
    return ofNobody != nullptr ? ofNobody : last;
}

void WindowPool::Impl::work(Hand& hand) {
    tensor::setThreadCount(1);
    std::unique_lock lock(mutex);
    for (;;) {
        Pass* job = nullptr;
        added.wait(lock, [&] { return quit || (job = begin(hand)) != nullptr; });
        if (job == nullptr) return;
        lock.unlock();
        run(hand.model, *job);
        lock.lock();
        job->done = true;
        finished.notify_one();
    }
}

WindowPool::WindowPool(TokenModel& own, std::vector<std::unique_ptr<TokenModel>> others)
    : impl_(std::make_unique<Impl>(own, std::move(others))) {}
WindowPool::~WindowPool() = default;

// Appends what the window does not share with the one before in its run, or begins a run's frames.
void WindowPool::Impl::store(std::span<const float> image, int hop, Pass& job) {
    const std::size_t step = static_cast<std::size_t>(hop) * melBands;
    const std::size_t shared = step < image.size() ? image.size() - step : 0;
    auto frames = inRun > 0 && hop > 0 ? lastFrames.lock() : nullptr;
    if (frames && frames->size() + step <= frames->capacity() &&
        std::equal(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(shared),
                   frames->end() - static_cast<std::ptrdiff_t>(shared))) {
        frames->insert(frames->end(), image.begin() + static_cast<std::ptrdiff_t>(shared), image.end());
    } else {
        frames = std::make_shared<Frames>();
        frames->reserve(image.size() + (windowsInARun - 1) * std::min(step, image.size()));
        frames->assign(image.begin(), image.end());
    }
    job.image = std::span(*frames).last(image.size());
    lastFrames = frames;
    job.frames = std::move(frames);
}

void WindowPool::add(std::span<const float> image, int hop) {
    Impl& impl = *impl_;
    auto job = std::make_unique<Pass>();
    job->tokens.resize(impl.tokenValues);
    const std::lock_guard lock(impl.mutex);
    if (hop == 0 || impl.inRun == windowsInARun) {
        ++impl.lastRun;
        impl.inRun = 0;
    }
    impl.store(image, hop, *job);
    ++impl.inRun;
    job->run = impl.lastRun;
    impl.jobs.push_back(std::move(job));
    impl.added.notify_one();
}

std::size_t WindowPool::pending() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->jobs.size();
}

// One run for each thread to work on, one to go on with, and one for the thread that finishes first.
std::size_t WindowPool::enough() const {
    return static_cast<std::size_t>(windowsInARun) * (impl_->hands.size() + 2);
}

bool WindowPool::ready() const {
    const std::lock_guard lock(impl_->mutex);
    return !impl_->jobs.empty() && impl_->jobs.front()->done;
}

void WindowPool::take(std::span<float> tokens) {
    Impl& impl = *impl_;
    std::unique_lock lock(impl.mutex);
    assert(!impl.jobs.empty() && tokens.size() == impl.tokenValues);
    while (!impl.jobs.front()->done) {
        if (Pass* job = impl.begin(impl.hands.front())) {
            lock.unlock();
            {
                const tensor::ThreadCountScope alone(1);
                run(impl.hands.front().model, *job);
            }
            lock.lock();
            job->done = true;
        } else {
            impl.finished.wait(lock);
        }
    }
    const auto job = std::move(impl.jobs.front());
    impl.jobs.pop_front();
    std::ranges::copy(job->tokens, tokens.begin());
    if (job->failure) std::rethrow_exception(job->failure);
}

void WindowPool::clear() {
    Impl& impl = *impl_;
    std::unique_lock lock(impl.mutex);
    std::erase_if(impl.jobs, [](const auto& job) { return !job->begun; });
    impl.finished.wait(
        lock, [&] { return std::ranges::all_of(impl.jobs, [](const auto& job) { return job->done; }); });
    impl.jobs.clear();
    impl.lastRun = impl.inRun = 0;
    for (auto& hand : impl.hands) hand.run = Hand::none;
}

} // namespace earshot::detection
