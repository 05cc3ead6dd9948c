// What libraries write to `stderr` by themselves: libmpg123 says several lines about a damaged MP3, which
// Earshot reports in one of its own. They are kept off the terminal, and shown only when the program does not
// end by itself: a library that gives up (libgomp), an assertion that fails.
//
// Only the C library's `stderr` goes elsewhere. Descriptor 2 stays what it was: messages (Terminal.h),
// std::cerr, sanitizers and the C library's own last words reach it. For programs alone: a plugin's stderr is
// its host's.
#pragma once

#include <cstdio>

namespace earshot::cli {

// Main thread, before there are others. One at a time.
class LibraryNotes {
  public:
    LibraryNotes();
    ~LibraryNotes();
    LibraryNotes(const LibraryNotes&) = delete;
    LibraryNotes& operator=(const LibraryNotes&) = delete;

  private:
    std::FILE* original_; // what stderr was
};

} // namespace earshot::cli
