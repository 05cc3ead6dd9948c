// Background work that is done piece by piece, in the order in which it was added, on a thread that there is
// while any is left. Whoever adds never waits. A piece that is silent for `patience`, as on a disk that does
// not answer, holds up no later ones: these go on without it. The destructor waits as BackgroundThread's
// does, and what was added is done even after that. One thread at a time.
#pragma once

#include "Core/Base/BackgroundThread.h"
#include "Core/Base/Log.h"
#include "Core/Base/Synchronized.h"

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace earshot {

class JobQueue {
  public:
    using Work = std::function<void()>; // owns all that it uses: see BackgroundThread

    static constexpr std::chrono::seconds patience{10};

    // Throws std::system_error when no thread can be created. What `work` throws ends that piece alone, and
    // is logged.
    void add(Work work) {
        if (busy() && job_.silentFor(patience)) passBy();
        const bool starts = state_->with([&](State& state) {
            state.waiting.push_back(std::move(work));
            return !std::exchange(state.runs, true);
        });
        if (!starts) return;
        try {
            job_ = BackgroundThread([state = state_](const StopToken& stop) { doAll(*state, stop); });
        } catch (...) {
            state_->with([](State& state) { state = {}; });
            throw;
        }
    }
    bool busy() const {
        return state_->with([](const State& state) { return state.runs; });
    }

  private:
    struct State {
        std::deque<Work> waiting;
        bool runs = false;
    };

    static Work next(Synchronized<State>& shared) {
        return shared.with([](State& state) {
            state.runs = !state.waiting.empty();
            if (!state.runs) return Work();
            Work first = std::move(state.waiting.front());
            state.waiting.pop_front();
            return first;
        });
    }
    static void doAll(Synchronized<State>& shared, const StopToken& stop) {
        for (Work piece = next(shared); piece; piece = next(shared)) {
            stop.alive();
            try {
                piece();
            } catch (...) { // the next one is another matter
                logCaught("a piece of background work");
            }
        }
    }
    void passBy() {
        auto left = state_->with([](State& state) { return std::exchange(state.waiting, {}); });
        state_ = std::make_shared<Synchronized<State>>(State{std::move(left), false});
        std::erase_if(hung_, [](const BackgroundThread& job) { return !job.running(); });
        hung_.push_back(std::move(job_));
    }

    std::shared_ptr<Synchronized<State>> state_ = std::make_shared<Synchronized<State>>();
    std::vector<BackgroundThread> hung_;
    BackgroundThread job_;
};

} // namespace earshot
