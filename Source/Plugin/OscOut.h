// Sends OSC messages over UDP from a thread of its own, so that neither a slow name server nor a full socket
// holds up the analysis.
//   /earshot/event       label:string onset:float offset:float peak:float      when an event has ended
//   /earshot/activation  time:float (label:string probability:float)*          per column of 0.32 s: what
//                        sounds there, likeliest first, at most 32 sounds; the time alone when nothing does
// Times are seconds as shown: the host's position while it plays, else since the start.
// Any thread but the audio thread; nothing here waits for the network.
#pragma once

#include <juce_osc/juce_osc.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace earshot::plugin {

class OscOut {
  public:
    OscOut() = default;
    ~OscOut(); // what is queued is still sent
    OscOut(const OscOut&) = delete;
    OscOut& operator=(const OscOut&) = delete;

    // Where to from now on; an empty host sends nothing.
    void connect(const juce::String& host, int port);
    // Queued. Forgotten when the network lags by hundreds of messages, or nothing is connected.
    void send(juce::OSCMessage message);
    // For people: why nothing arrives, or empty.
    juce::String problem() const;

  private:
    struct Target {
        juce::String host;
        int port = 0;
        bool operator==(const Target&) const = default;
    };

    void run();

    mutable std::mutex mutex_; // all below, but for the thread's own use of thread_
    std::condition_variable wake_;
    std::deque<juce::OSCMessage> queue_;
    Target target_;
    juce::String problem_;
    bool stopping_ = false;
    std::thread thread_; // from the first connect() on
};

} // namespace earshot::plugin
