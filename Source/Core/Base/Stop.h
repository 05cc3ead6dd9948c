// How one thread asks another to stop, and sees whether it still moves.
//
// Whoever works gets a StopToken and calls check() at every step: once stop() was called it throws Stopped,
// which is no earshot::Error: nobody waits for the outcome. Every check is also a sign of life, by which
// whoever waits tells a long piece of work from a read that the system does not answer. Any thread.
// (std::stop_token is missing from libc++ before version 20.)
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>

namespace earshot {

class Stopped : public std::exception {
  public:
    const char* what() const noexcept override { return "stopped: nobody waits for it"; }
};

class StopToken {
  public:
    StopToken() = default; // is never asked to stop

    bool requested() const noexcept { return state_ && state_->requested.load(); }
    // Throws Stopped once it is asked to stop.
    void check() const {
        alive();
        if (requested()) throw Stopped();
    }
    // A sign of life alone.
    void alive() const noexcept {
        if (state_) state_->lastSign.store(Clock::now().time_since_epoch());
    }

    // While it lives the thread computes and waits for nothing: it counts as alive.
    class Computing {
      public:
        explicit Computing(const StopToken& token)
            : token_(token) {
            if (token_.state_) ++token_.state_->computing;
        }
        ~Computing() {
            token_.alive();
            if (token_.state_) --token_.state_->computing;
        }
        Computing(const Computing&) = delete;
        Computing& operator=(const Computing&) = delete;

      private:
        const StopToken& token_;
    };

  private:
    friend class StopSource;
    using Clock = std::chrono::steady_clock;
    struct State {
        std::atomic<bool> requested{false};
        std::atomic<int> computing{0};
        std::atomic<Clock::duration> lastSign{Clock::now().time_since_epoch()};
    };

    std::shared_ptr<State> state_;
};

class StopSource {
  public:
    StopSource() { token_.state_ = std::make_shared<StopToken::State>(); }

    const StopToken& token() const { return token_; }
    void stop() noexcept {
        token_.alive(); // from here on it may take its time once more
        token_.state_->requested.store(true);
    }
    // Since the last sign of life.
    std::chrono::steady_clock::duration silence() const noexcept {
        if (token_.state_->computing.load() > 0) return {};
        return StopToken::Clock::now().time_since_epoch() - token_.state_->lastSign.load();
    }

  private:
    StopToken token_;
};

} // namespace earshot
