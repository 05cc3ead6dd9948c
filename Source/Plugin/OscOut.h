// Sends OSC messages over UDP from a thread of its own, so that neither a slow name server nor a full socket
// holds up the analysis.
//   /earshot/event       label:string onset:float offset:float peak:float      when an event has ended
//   /earshot/activation  time:float (label:string probability:float)*          per column of 0.32 s: what
//                        sounds there, likeliest first, at most 32 sounds; the time alone when nothing does
// Times are seconds as shown: the host's position while it plays, else since the start.
// Any thread but the audio thread; nothing here waits for the network. A name server that does not answer
// keeps the thread, which is left behind then (Base/Job.h).
#pragma once

#include "Core/Base/Job.h"

#include <juce_osc/juce_osc.h>

#include <functional>
#include <memory>

namespace earshot::plugin {

class OscOut {
  public:
    // Opens a sender to a host and port, or says that it cannot: tests put another in its place. On the
    // thread.
    using Connect = std::function<bool(juce::OSCSender& sender, const juce::String& host, int port)>;

    explicit OscOut(Connect connect = {});
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
    struct Shared;

    const std::shared_ptr<Shared> shared_; // with the thread
    Job job_;                              // from the first connect() on; its mutex is the shared one
};

} // namespace earshot::plugin
