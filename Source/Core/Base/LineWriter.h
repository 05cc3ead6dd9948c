// Lines that a thread of its own appends to a file, so that a slow disk holds nobody up. While the file
// cannot be written (a full disk, a folder that is gone), lines wait, up to maxWaiting, and are written when
// it can be; a note counts what had to be dropped. AppendedFile.h says how several programs share a file. Any
// thread but the audio thread.
#pragma once

#include "Core/Base/AppendedFile.h"
#include "Core/Base/BackgroundThread.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace earshot {

class LineWriter {
  public:
    static constexpr std::size_t maxWaiting = 1 << 20; // bytes of lines
    static constexpr std::chrono::milliseconds retryAfter{500};
    // The line that says so many items are missing where it stands. A function without state.
    using DroppedNote = std::string (*)(std::int64_t items);

    // Nothing is opened before begin() or the first line.
    LineWriter(AppendedFile file, DroppedNote note);
    ~LineWriter(); // finish()
    LineWriter(const LineWriter&) = delete;
    LineWriter& operator=(const LineWriter&) = delete;

    // Makes the file with its header.
    void begin();
    // lines: whole ones. items: how many a note counts if they are dropped.
    void append(std::string lines, std::int64_t items);
    // Waits until all lines are written, or one could not be, or half a second.
    void flush();
    // The same, and ends the thread. Lines that could not be written are dropped.
    void finish();

    std::string problem() const;  // why lines wait: a clause; empty: they do not
    std::int64_t dropped() const; // items

  private:
    struct Shared;

    std::shared_ptr<Shared> shared_;
    BackgroundThread writer_;
};

} // namespace earshot
