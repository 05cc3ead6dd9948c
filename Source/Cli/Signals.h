// Ctrl-C, and SIGTERM from the program's starter (Slurm, systemd), which counts as the same; and readers that
// go away. Main thread; the handler only sets a flag.
#pragma once

#include <exception>

namespace earshot::cli {

// Thrown when the program was interrupted while it waited for another one, and has nothing to finish.
class Interrupted : public std::exception {};

// Installs the handlers. The first signal only sets the flag below, the second ends the program at once.
// Writing to a closed pipe, or beyond the file size limit, becomes an error code instead of a signal.
void prepareSignals();
bool interrupted();

// Opens a replacement for each closed standard stream, so that no later file takes its number: /dev/null for
// input and errors, and for standard output a folder, to which nobody can write.
void reserveStandardStreams();

} // namespace earshot::cli
