// What the engine and the command line ask of the system besides files, one set for each system
// (PosixSystem.cpp, WindowsSystem.cpp). Any thread, unless a function says otherwise.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace earshot::platform {

// The file of the program or library that contains this function; it may be relative, or empty where the
// system does not say.
std::filesystem::path ownBinary();
// Keeps that file in memory until the program ends, even if a host unloads it.
void keepLoaded() noexcept;

// Opens a library by its file name, where the system looks for libraries, for as long as the program runs.
// Null where there is none.
void* openLibrary(const char* name) noexcept;
// Null where it has no such function.
void* functionOf(void* library, const char* name) noexcept;

// Asks for the tile registers of AMX, which Linux gives on request. False where the system does not give
// them.
bool requestTileRegisters();

// Gives this thread, and those that it starts from here on, the lowest priority.
void yieldToOthers() noexcept;

// The program's arguments in UTF-8. Main thread.
std::vector<std::string> arguments(int argc, const char* const* argv);
// A variable of the environment in UTF-8, or nothing if it is not set.
std::optional<std::string> environment(const char* name);
// The folder for the user's log files, which may not exist; empty if the environment does not say where it
// is.
//   Linux and others: $XDG_STATE_HOME/earshot, or ~/.local/state/earshot (XDG Base Directory Specification)
//   macOS: ~/Library/Logs/Earshot; Windows: %LOCALAPPDATA%\Earshot
std::filesystem::path logFolder();

std::int64_t processId();
// Seconds by which this machine's clock on the wall is ahead of UTC at that time, in seconds since 1970 in
// UTC.
int localOffsetAt(std::int64_t utc);

bool isTerminal(std::FILE* stream);
// Main thread, before anything is read or written: opens standard streams that are closed, so that no file
// takes their numbers, and makes them pass bytes as they are. The substitute is /dev/null, and for standard
// output a folder, so that writing to it fails.
void prepareStandardStreams();
// Main thread: `handler` is called at Ctrl-C and when the program is asked to end, once; the second time ends
// the program. It may run on another thread and may only set a flag. A reader that has gone and a file that
// grows too large become errors instead of ends.
void catchInterrupts(void (*handler)());

} // namespace earshot::platform
