#include "Core/Detection/WindowPool.h"

#include "Core/Tensor/Threads.h"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace earshot::detection {

namespace {

struct Job {
    std::vector<float> image;  // (windowFrames, melBands)
    std::vector<float> tokens; // (tokens, classes)
    std::exception_ptr failure;
    bool begun = false;
    bool done = false;
};

void run(TokenModel& model, Job& job) {
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

    void work(TokenModel& model);
    void stop();
    Job* begin(); // with the mutex held: the oldest that nobody runs, or null

    TokenModel& own;
    const std::vector<std::unique_ptr<TokenModel>> others;
    std::size_t tokenValues; // of a window

    mutable std::mutex mutex;
    std::condition_variable added;           // or quit
    std::condition_variable finished;        // some job
    std::deque<std::unique_ptr<Job>> jobs;   // oldest first
    std::vector<std::unique_ptr<Job>> spare; // whose memory is used again
    bool quit = false;
    std::vector<std::thread> threads; // last
};

WindowPool::Impl::Impl(TokenModel& ownModel, std::vector<std::unique_ptr<TokenModel>> otherModels)
    : own(ownModel)
    , others(std::move(otherModels))
    , tokenValues(static_cast<std::size_t>(own.windowFrames() / own.framesPerToken() * own.classes())) {
    try {
        for (const auto& model : others) threads.emplace_back([this, &model] { work(*model); });
    } catch (...) { // no more threads to be had
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
    for (auto& thread : threads) thread.join();
}

Job* WindowPool::Impl::begin() {
    const auto waiting = std::ranges::find_if(jobs, [](const auto& job) { return !job->begun; });
    if (waiting == jobs.end()) return nullptr;
    (*waiting)->begun = true;
    return waiting->get();
}

void WindowPool::Impl::work(TokenModel& model) {
    tensor::setThreadCount(1);
    std::unique_lock lock(mutex);
    for (;;) {
        Job* job = nullptr;
        added.wait(lock, [&] { return quit || (job = begin()) != nullptr; });
        if (job == nullptr) return;
        lock.unlock();
        run(model, *job);
        lock.lock();
        job->done = true;
        finished.notify_one();
    }
}

WindowPool::WindowPool(TokenModel& own, std::vector<std::unique_ptr<TokenModel>> others)
    : impl_(std::make_unique<Impl>(own, std::move(others))) {}
WindowPool::~WindowPool() = default;

void WindowPool::add(std::span<const float> image) {
    Impl& impl = *impl_;
    auto job = std::make_unique<Job>();
    const std::lock_guard lock(impl.mutex);
    if (!impl.spare.empty()) {
        job = std::move(impl.spare.back());
        impl.spare.pop_back();
    }
    job->image.assign(image.begin(), image.end());
    job->tokens.resize(impl.tokenValues);
    job->begun = job->done = false;
    impl.jobs.push_back(std::move(job));
    impl.added.notify_one();
}

std::size_t WindowPool::pending() const {
    const std::lock_guard lock(impl_->mutex);
    return impl_->jobs.size();
}

std::size_t WindowPool::enough() const { return 2 * (impl_->others.size() + 1); }

bool WindowPool::ready() const {
    const std::lock_guard lock(impl_->mutex);
    return !impl_->jobs.empty() && impl_->jobs.front()->done;
}

void WindowPool::take(std::span<float> probabilities) {
    Impl& impl = *impl_;
    std::unique_lock lock(impl.mutex);
    assert(!impl.jobs.empty() && probabilities.size() == impl.tokenValues);
    while (!impl.jobs.front()->done) {
        if (Job* job = impl.begin()) {
            lock.unlock();
            {
                const tensor::ThreadCountScope alone(1);
                run(impl.own, *job);
            }
            lock.lock();
            job->done = true;
        } else {
            impl.finished.wait(lock);
        }
    }
    auto job = std::move(impl.jobs.front());
    impl.jobs.pop_front();
    const auto failure = std::exchange(job->failure, nullptr);
    std::ranges::copy(job->tokens, probabilities.begin());
    impl.spare.push_back(std::move(job));
    if (failure) std::rethrow_exception(failure);
}

void WindowPool::clear() {
    Impl& impl = *impl_;
    std::unique_lock lock(impl.mutex);
    std::erase_if(impl.jobs, [](const auto& job) { return !job->begun; });
    impl.finished.wait(
        lock, [&] { return std::ranges::all_of(impl.jobs, [](const auto& job) { return job->done; }); });
    impl.jobs.clear();
}

} // namespace earshot::detection
