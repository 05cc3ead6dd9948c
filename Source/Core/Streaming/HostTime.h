// Where the host's transport is. A plain value: any thread.
#pragma once

namespace earshot::streaming {

// The host's transport at a block's first sample.
struct HostTime {
    bool playing = false;
    double seconds = 0.0; // position on its time line, when playing
};

} // namespace earshot::streaming
