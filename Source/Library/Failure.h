// What went wrong, as earshot.h tells it: a status and the calling thread's message. Any thread.
#pragma once

#include "Library/earshot.h"

#include "Core/Base/Error.h"

#include <string>

namespace earshot::library {

// An Error that has a status of its own. Any other earshot::Error is of a file.
class Failure : public Error {
  public:
    Failure(earshot_status status, const std::string& message)
        : Error(message)
        , status_(status) {}
    earshot_status status() const { return status_; }

  private:
    earshot_status status_;
};

// Throws a Failure, EARSHOT_INVALID_ARGUMENT, unless `holds`.
void require(bool holds, const char* message);
// Throws one unless the pointer is set; name: of the parameter.
void requireSet(const void* pointer, const char* name);

earshot_status succeeded() noexcept;
// Call it where an exception was caught: makes a status and the message of it.
earshot_status failed() noexcept;

// Calls `work` and returns what became of it. Nothing that it throws goes further.
template <typename Work>
earshot_status attempt(const Work& work) noexcept {
    try {
        work();
        return succeeded();
    } catch (...) {
        return failed();
    }
}

// The calling thread's message. It takes no memory that could lack.
const char* lastMessage() noexcept;

} // namespace earshot::library
