// How one thread asks another to stop, and sees whether it still moves.
//
// A worker gets a StopToken and calls check() at every step. After stop(), check() throws Stopped, which is
// not an earshot::Error because nobody waits for the outcome. Every check is also a sign of life. It tells
// the waiting thread whether a long piece of work goes on, or a read hangs. Any thread. (libc++ has no
// std::stop_token before version 20.)
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
    StopToken() = default; // never stops

    bool requested() const noexcept { return state_ && state_->requested.load(); }
    // Throws Stopped after a stop request.
    void check() const {
        alive();
        if (requested()) throw Stopped();
    }
    // Gives a sign of life without a check.
    void alive() const noexcept {
        if (state_) state_->lastSign.store(Clock::now().time_since_epoch());
    }

    // While it lives, the thread counts as alive: it computes and waits for nothing.
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
        token_.alive(); // the thread must give signs of life again from here on
        token_.state_->requested.store(true);
    }
    // Time since the last sign of life.
    std::chrono::steady_clock::duration silence() const noexcept {
        if (token_.state_->computing.load() > 0) return {};
        return StopToken::Clock::now().time_since_epoch() - token_.state_->lastSign.load();
    }

  private:
    StopToken token_;
};

} // namespace earshot
