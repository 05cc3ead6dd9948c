#include "Core/Base/BackgroundThread.h"

#include "Core/Base/Log.h"
#include "Core/Base/Platform/System.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace earshot {

namespace {

constexpr auto lookEvery = std::chrono::milliseconds(5);

} // namespace

struct BackgroundThread::Shared {
    StopSource stop;
    std::mutex mutex;
    std::condition_variable ended;
    bool done = false;
    bool resident = false;
};

BackgroundThread::BackgroundThread(std::function<void(const StopToken&)> work)
    : shared_(std::make_shared<Shared>()) {
    start(std::move(work));
}

BackgroundThread BackgroundThread::resident(std::function<void()> work) {
    BackgroundThread job;
    job.shared_ = std::make_shared<Shared>();
    job.shared_->resident = true;
    job.start([work = std::move(work)](const StopToken&) { work(); });
    return job;
}

void BackgroundThread::start(std::function<void(const StopToken&)> work) {
    thread_ = std::thread([shared = shared_, work = std::move(work)]() mutable {
        try {
            work(shared->stop.token());
        } catch (...) { // a missing outcome tells the waiting thread that the work failed
            logCaught("a background thread");
        }
        work = nullptr; // destroys the captured objects before anybody sees that the work is done
        const std::lock_guard lock(shared->mutex);
        shared->done = true;
        shared->ended.notify_all();
    });
}

BackgroundThread& BackgroundThread::operator=(BackgroundThread&& other) noexcept {
    if (this == &other) return *this;
    end();
    shared_ = std::move(other.shared_);
    thread_ = std::move(other.thread_);
    return *this;
}

BackgroundThread::~BackgroundThread() { end(); }

bool BackgroundThread::running() const {
    if (!shared_) return false;
    const std::lock_guard lock(shared_->mutex);
    return !shared_->done;
}

bool BackgroundThread::silentFor(std::chrono::steady_clock::duration duration) const {
    return shared_ && shared_->stop.silence() >= duration;
}

void BackgroundThread::stop() noexcept {
    if (shared_) shared_->stop.stop();
}

bool BackgroundThread::end() noexcept {
    if (!thread_.joinable()) return true;
    stop();
    bool done = false;
    {
        std::unique_lock lock(shared_->mutex);
        while (!shared_->done && (shared_->resident || !silentFor(patience)))
            shared_->ended.wait_for(lock, lookEvery);
        done = shared_->done;
    }
    if (done) {
        thread_.join();
    } else {
        platform::keepLoaded();
        thread_.detach();
    }
    shared_.reset();
    return done;
}

} // namespace earshot
