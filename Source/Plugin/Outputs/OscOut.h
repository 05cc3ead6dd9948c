// Sends OSC messages over UDP from a thread of its own, so that neither a slow name server nor a full socket
// holds up the analysis.
//   /earshot/event       label:string onset:float offset:float peak:float instance:string onset:time
//                        offset:time                                           when an event has ended
//   /earshot/activation  time:float (label:string probability:float)* instance:string time:time
//                        for each column: the sounding classes, likeliest first, at most 32
// Times are displayed seconds: the host's position while it plays, else the time since the start. `time` is
// an int32, whole seconds, and a float, the rest. Instances: EventOutputs::instance(). Any thread but the
// audio thread; no function waits for the network. If a name server does not answer, the thread is left
// behind (Base/BackgroundThread.h).
#pragma once

#include "Core/Base/BackgroundThread.h"

#include <juce_osc/juce_osc.h>

#include <functional>
#include <memory>

namespace earshot::plugin {

class OscOut {
  public:
    // Connects a sender to a host and port, or returns false. Runs on the sending thread. Tests replace it.
    using Connect = std::function<bool(juce::OSCSender& sender, const juce::String& host, int port)>;

    explicit OscOut(Connect connect = {});
    ~OscOut(); // sends the queued messages first
    OscOut(const OscOut&) = delete;
    OscOut& operator=(const OscOut&) = delete;

    // Sets the receiver of all later messages. With an empty host, nothing is sent.
    void connect(const juce::String& host, int port);
    // Queues a message. Discards it if hundreds of messages wait already, or if no receiver is set.
    void send(juce::OSCMessage message);
    // A text for the user about the last failure; empty: none.
    juce::String problem() const;

  private:
    struct Shared;

    const std::shared_ptr<Shared> shared_; // shared with the thread
    BackgroundThread job_;                 // runs from the first connect() on; guarded by Shared::mutex
};

} // namespace earshot::plugin
