#include "Plugin/Outputs/OscOut.h"

#include "Core/Base/Log.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>

namespace earshot::plugin {

namespace {

constexpr std::size_t maxWaiting = 512;

struct Target {
    juce::String host;
    int port = 0;
    bool operator==(const Target&) const = default;
};

} // namespace

struct OscOut::Shared {
    void run(const StopToken& stop);

    Connect open;

    std::mutex mutex; // guards the members below
    std::condition_variable wake;
    std::deque<juce::OSCMessage> queue;
    Target target;
    juce::String problem;
    bool stopping = false;
};

OscOut::OscOut(Connect connect)
    : shared_(std::make_shared<Shared>()) {
    shared_->open = std::move(connect);
    if (!shared_->open)
        shared_->open = [](juce::OSCSender& sender, const juce::String& host, int port) {
            // JUCE sends from an IPv4 socket to the first address of a name, which for localhost may be ::1.
            const bool isLocal = host.trim().equalsIgnoreCase("localhost");
            return sender.connect(isLocal ? juce::String("127.0.0.1") : host, port);
        };
}

OscOut::~OscOut() {
    {
        const std::scoped_lock lock(shared_->mutex);
        shared_->stopping = true;
    }
    shared_->wake.notify_all();
    job_.end();
}

void OscOut::connect(const juce::String& host, int port) {
    const std::scoped_lock lock(shared_->mutex);
    const Target target{host, port};
    if (target == shared_->target) return;
    shared_->target = target;
    shared_->queue.clear();
    shared_->problem.clear();
    if (host.isEmpty() || job_.running()) return;
    try {
        job_ = BackgroundThread([shared = shared_](const StopToken& stop) { shared->run(stop); });
    } catch (...) {
        logCaught("OSC");
        shared_->problem = "OSC cannot start: " + juce::String::fromUTF8(caughtCause().c_str());
        shared_->target = {};
    }
}

void OscOut::send(juce::OSCMessage message) {
    {
        const std::scoped_lock lock(shared_->mutex);
        if (shared_->target.host.isEmpty() || shared_->queue.size() >= maxWaiting) return;
        shared_->queue.push_back(std::move(message));
    }
    shared_->wake.notify_all();
}

juce::String OscOut::problem() const {
    const std::scoped_lock lock(shared_->mutex);
    return shared_->problem;
}

void OscOut::Shared::run(const StopToken& stop) {
    juce::OSCSender sender;
    Target connected;
    std::unique_lock lock(mutex);
    while (true) {
        wake.wait(lock, [this] { return stopping || !queue.empty(); });
        if (queue.empty()) return;
        std::deque<juce::OSCMessage> messages;
        messages.swap(queue);
        const Target wanted = target;
        lock.unlock();
        bool sent = true;
        try {
            if (wanted != connected) sent = open(sender, wanted.host, wanted.port);
            for (const juce::OSCMessage& message : messages) {
                stop.alive();
                sent = sent && sender.send(message);
            }
        } catch (...) {
            logCaught("OSC");
            sent = false;
        }
        connected = sent ? wanted : Target{}; // a failure makes the next message open a new socket
        lock.lock();
        if (wanted == target)
            problem = sent ? juce::String()
                           : "OSC cannot be sent to " + wanted.host + ", port " + juce::String(wanted.port) +
                                 ": check the address and the network";
    }
}

} // namespace earshot::plugin
