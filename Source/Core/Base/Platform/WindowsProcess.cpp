#include "Core/Base/Platform/Process.h"

#include <cerrno>

namespace earshot::platform {

// Not there yet: no program is started on Windows.
std::optional<Process> Process::start(const std::vector<std::string>&, int, const Limits&) {
    errno = ENOSYS;
    return std::nullopt;
}

Process& Process::operator=(Process&& other) noexcept = default;
Process::~Process() = default;

std::ptrdiff_t Process::read(void*, std::size_t, std::chrono::milliseconds) {
    errno = ENOSYS;
    return -1;
}

int Process::finish() { return -1; }
std::string Process::messages() const { return {}; }

} // namespace earshot::platform
