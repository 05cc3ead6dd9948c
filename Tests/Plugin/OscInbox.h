// Receives OSC messages on a free loopback port, on JUCE's network thread, for a test.
#pragma once

#include <juce_osc/juce_osc.h>

#if !defined(_WIN32)
#include <sys/socket.h>
#endif

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace earshot::test {

class OscInbox : private juce::OSCReceiver::Listener<juce::OSCReceiver::RealtimeCallback> {
  public:
    OscInbox()
        : socket_(false) {
        socket_.bindToPort(0, "127.0.0.1");
        // The largest buffer that the system allows, in case this receiver is not scheduled for a while.
#if !defined(_WIN32)
        const int bytes = 1 << 20;
        ::setsockopt(socket_.getRawSocketHandle(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
#endif
        // The network thread reads the list of listeners without a lock: it is whole before that thread
        // starts.
        receiver_.addListener(this);
        receiver_.connectToSocket(socket_);
    }
    ~OscInbox() override {
        receiver_.disconnect(); // joins the network thread
        receiver_.removeListener(this);
    }
    OscInbox(const OscInbox&) = delete;
    OscInbox& operator=(const OscInbox&) = delete;

    int port() const { return socket_.getBoundPort(); }

    // The messages, once this many have come (or after a generous time).
    std::vector<juce::OSCMessage> waitFor(std::size_t count) {
        std::unique_lock lock(mutex_);
        arrived_.wait_for(lock, std::chrono::seconds(60), [&] { return messages_.size() >= count; });
        return messages_;
    }

  private:
    void oscMessageReceived(const juce::OSCMessage& message) override {
        const std::scoped_lock lock(mutex_);
        messages_.push_back(message);
        arrived_.notify_all();
    }

    juce::DatagramSocket socket_;
    juce::OSCReceiver receiver_;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<juce::OSCMessage> messages_;
};

} // namespace earshot::test
