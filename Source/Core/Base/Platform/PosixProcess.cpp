#include "Core/Base/Platform/Process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace earshot::platform {

namespace {

// All ends of a pipe are closed in programs that are started.
bool makePipe(Descriptor& reading, Descriptor& writing) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return false;
    for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
    reading = Descriptor(ends[0]);
    writing = Descriptor(ends[1]);
    return true;
}

void limit(int what, rlim_t most) {
    struct rlimit bounds {};
    bounds.rlim_cur = bounds.rlim_max = most;
    ::setrlimit(static_cast<__rlimit_resource_t>(what), &bounds);
}

// In the new process, where only what POSIX calls async-signal-safe may be called. Does not return.
[[noreturn]] void become(char* const* arguments, const std::array<int, 3>& streams, int failure,
                         const Process::Limits& limits) {
    constexpr rlim_t maxMessages = 1 << 20; // bytes
    for (int i = 0; i < 3; ++i)
        if (::dup2(streams[static_cast<std::size_t>(i)], i) < 0) ::_exit(127);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_DFL);
    ::signal(SIGXFSZ, SIG_IGN); // messages that are too long are lost, and nothing else
    limit(RLIMIT_AS, limits.memory);
    limit(RLIMIT_CPU, static_cast<rlim_t>(limits.seconds));
    limit(RLIMIT_FSIZE, maxMessages);
    limit(RLIMIT_CORE, 0);
    ::execvp(arguments[0], arguments);
    const int reason = errno;
    [[maybe_unused]] const auto written = ::write(failure, &reason, sizeof(reason));
    ::_exit(127);
}

} // namespace

std::optional<Process> Process::start(const std::vector<std::string>& command, int input,
                                      const Limits& limits) {
    Process process;
    Descriptor output, failureRead, failure;
    std::error_code noFolder;
    auto folder = std::filesystem::temp_directory_path(noFolder);
    process.errors_ = createUnnamed(noFolder ? std::filesystem::path("/tmp") : folder);
    if (!process.errors_.isOpen() || !makePipe(process.output_, output) || !makePipe(failureRead, failure))
        return std::nullopt;
    std::vector<std::string> texts = command;
    std::vector<char*> arguments;
    arguments.reserve(texts.size() + 1);
    for (std::string& text : texts) arguments.push_back(text.data());
    arguments.push_back(nullptr);
    const pid_t id = ::fork();
    if (id < 0) return std::nullopt;
    if (id == 0)
        become(arguments.data(), {input, output.number(), process.errors_.number()}, failure.number(),
               limits);
    process.id_ = id;
    output = Descriptor();
    failure = Descriptor();
    int reason = 0;
    if (platform::read(failureRead.number(), &reason, sizeof(reason)) <= 0) return process;
    process.finish();
    errno = reason;
    return std::nullopt;
}

Process& Process::operator=(Process&& other) noexcept {
    std::swap(output_, other.output_);
    std::swap(errors_, other.errors_);
    std::swap(id_, other.id_);
    std::swap(ended_, other.ended_);
    return *this;
}

Process::~Process() { finish(); }

std::ptrdiff_t Process::read(void* destination, std::size_t bytes, std::chrono::milliseconds patience) {
    struct pollfd ready {};
    ready.fd = output_.number();
    ready.events = POLLIN;
    const int count = ::poll(&ready, 1, static_cast<int>(patience.count()));
    if (count == 0) errno = ETIMEDOUT;
    const std::ptrdiff_t got = count <= 0 ? -1 : platform::read(output_.number(), destination, bytes);
    ended_ = got == 0;
    return got;
}

int Process::finish() {
    const auto id = std::exchange(id_, std::nullopt);
    if (!id) return -1;
    output_ = Descriptor();
    int status = 0;
    // A program that has closed its output ends by itself, if it may take a moment.
    constexpr int maxWaits = 1000;
    constexpr useconds_t wait = 1000; // microseconds
    for (int waits = 0; waits < maxWaits; ++waits) {
        if (!ended_ && waits == 0) ::kill(*id, SIGTERM);
        if (::waitpid(*id, &status, WNOHANG) == *id) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        ::usleep(wait);
    }
    ::kill(*id, SIGKILL);
    while (::waitpid(*id, &status, 0) < 0 && errno == EINTR) {
    }
    return -1;
}

std::string Process::messages() const {
    std::string text(2000, '\0');
    const auto bytes = readAt(errors_.number(), text.data(), text.size(), 0);
    text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    return text;
}

} // namespace earshot::platform
