// Keeps notes of libraries on `stderr` off the terminal. (libmpg123 prints several lines about a damaged MP3,
// which Earshot reports in one line of its own.) The notes are shown only if the program does not end by
// itself: a library aborts (libgomp), or an assertion fails.
//
// Only the C library's `stderr` is redirected. Descriptor 2 stays, so messages (Terminal.h), std::cerr,
// sanitizers and the C library's last messages reach it. For programs alone: a plugin's stderr belongs to its
// host.
#pragma once

#include <cstdio>

namespace earshot::cli {

// Main thread, before there are other threads. One object at a time.
class LibraryNotes {
  public:
    LibraryNotes();
    ~LibraryNotes();
    LibraryNotes(const LibraryNotes&) = delete;
    LibraryNotes& operator=(const LibraryNotes&) = delete;

  private:
    std::FILE* original_; // the original stderr
};

} // namespace earshot::cli
