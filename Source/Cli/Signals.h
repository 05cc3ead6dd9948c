// Ctrl-C, and SIGTERM from whatever started the program (Slurm, systemd), which is the same; and readers that
// go away. Main thread; the handler only sets a flag.
#pragma once

#include <exception>

namespace earshot::cli {

// The program was interrupted where it waited for another one, and has nothing to finish.
class Interrupted : public std::exception {};

// From here on the first of them only sets the flag below, the second ends the program at once, and writing
// to a closed pipe, or more than a file may hold, is an error code instead of a signal.
void prepareSignals();
bool interrupted();

// Opens something in place of standard streams that are closed, so that no file opened later takes their
// place: /dev/null, which is empty and forgets, and for standard output a folder, which nobody can write to.
void reserveStandardStreams();

} // namespace earshot::cli
