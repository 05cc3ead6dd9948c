// Keeps what libraries write to `stderr` off the terminal. libmpg123, for one, prints several lines about a
// damaged MP3, and Earshot reports it in one line of its own. The text is kept and shown only if the program
// does not end normally: a library ends it (libgomp), or an assertion fails.
//
// Only the C library's `stderr` is replaced. Descriptor 2 stays as it was, so messages (Terminal.h),
// std::cerr, sanitizers and the C library's last messages still reach it. For programs alone: a plugin's
// stderr belongs to its host.
#pragma once

#include <cstdio>

namespace earshot::cli {

// Main thread, before it starts other threads. There may be only one at a time.
class LibraryNotes {
  public:
    LibraryNotes();
    ~LibraryNotes();
    LibraryNotes(const LibraryNotes&) = delete;
    LibraryNotes& operator=(const LibraryNotes&) = delete;

  private:
    std::FILE* original_; // the former stderr
};

} // namespace earshot::cli
