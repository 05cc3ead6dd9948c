#include "Plugin/OscOut.h"

#include <cstddef>
#include <exception>
#include <utility>

namespace earshot::plugin {

namespace {

constexpr std::size_t mostWaiting = 512;

} // namespace

OscOut::~OscOut() {
    {
        const std::scoped_lock lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void OscOut::connect(const juce::String& host, int port) {
    const std::scoped_lock lock(mutex_);
    const Target target{host, port};
    if (target == target_) return;
    target_ = target;
    queue_.clear();
    problem_.clear();
    if (host.isEmpty() || thread_.joinable()) return;
    try {
        thread_ = std::thread([this] { run(); });
    } catch (const std::exception&) {
        problem_ = "OSC cannot start: the system has no thread left; close some programs and try again";
        target_ = {};
    }
}

void OscOut::send(juce::OSCMessage message) {
    {
        const std::scoped_lock lock(mutex_);
        if (target_.host.isEmpty() || queue_.size() >= mostWaiting) return;
        queue_.push_back(std::move(message));
    }
    wake_.notify_all();
}

juce::String OscOut::problem() const {
    const std::scoped_lock lock(mutex_);
    return problem_;
}

void OscOut::run() {
    juce::OSCSender sender;
    Target connected;
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (queue_.empty()) return;
        std::deque<juce::OSCMessage> messages;
        messages.swap(queue_);
        const Target target = target_;
        lock.unlock();
        bool sent = true;
        try {
            if (target != connected) sent = sender.connect(target.host, target.port);
            for (const juce::OSCMessage& message : messages) sent = sent && sender.send(message);
        } catch (const std::exception&) {
            sent = false;
        }
        connected = sent ? target : Target{}; // after a failure a new socket
        lock.lock();
        if (target == target_)
            problem_ = sent ? juce::String()
                            : "OSC cannot be sent to " + target.host + ", port " + juce::String(target.port) +
                                  ": check the address and the network";
    }
}

} // namespace earshot::plugin
