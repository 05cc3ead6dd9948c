#include "Support/Process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace earshot::test {

namespace {

class Descriptor {
  public:
    explicit Descriptor(int number = -1)
        : number_(number) {}
    Descriptor(Descriptor&& other) noexcept
        : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() { close(); }

    int number() const { return number_; }
    bool isOpen() const { return number_ >= 0; }
    void close() {
        if (number_ >= 0) ::close(std::exchange(number_, -1));
    }

  private:
    int number_;
};

struct Pipe {
    Descriptor reader;
    Descriptor writer;
};

Pipe makePipe() {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

[[noreturn]] void becomeProgram(const std::filesystem::path& program,
                                const std::vector<std::string>& arguments, const ProcessOptions& options,
                                int input, int output, int errors) {
    ::signal(SIGPIPE, SIG_DFL);
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
    for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> words;
    std::string name = program.string();
    words.push_back(name.data());
    std::vector<std::string> copies = arguments;
    for (std::string& argument : copies) words.push_back(argument.data());
    words.push_back(nullptr);
    ::execv(name.c_str(), words.data());
    ::_exit(127);
}

// Copies the available bytes. Returns false at the end of the stream.
bool receive(Descriptor& from, std::string& text) {
    std::array<char, 65536> buffer{};
    const ssize_t bytes = ::read(from.number(), buffer.data(), buffer.size());
    if (bytes > 0) text.append(buffer.data(), static_cast<std::size_t>(bytes));
    return bytes > 0;
}

// Feeds standard input and collects both outputs until all are closed.
void converse(pid_t child, const ProcessOptions& options, Descriptor input, Descriptor output,
              Descriptor errors, ProcessResult& result) {
    ::fcntl(input.number(), F_SETFL, O_NONBLOCK);
    std::size_t sent = 0;
    bool signalled = false;
    using Clock = std::chrono::steady_clock;
    auto deadline = options.signalAfter ? std::optional(Clock::now() + *options.signalAfter) : std::nullopt;
    while (output.isOpen() || errors.isOpen()) {
        if (sent == options.input.size()) input.close();
        std::array<pollfd, 3> waits = {pollfd{output.number(), POLLIN, 0}, pollfd{errors.number(), POLLIN, 0},
                                       pollfd{input.number(), POLLOUT, 0}};
        int patience = -1;
        if (deadline) {
            const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - Clock::now());
            patience = static_cast<int>(std::max<std::int64_t>(0, left.count()));
        }
        if (::poll(waits.data(), waits.size(), patience) < 0) throw std::runtime_error("poll failed");
        if (deadline && Clock::now() >= *deadline) {
            ::kill(child, options.signal);
            deadline.reset();
        }
        if (waits[0].revents != 0 && !receive(output, result.output)) output.close();
        if (waits[1].revents != 0 && !receive(errors, result.errors)) errors.close();
        if (waits[2].revents != 0) {
            const ssize_t bytes =
                ::write(input.number(), options.input.data() + sent, options.input.size() - sent);
            if (bytes >= 0) {
                sent += static_cast<std::size_t>(bytes);
            } else {
                input.close(); // the program does not read on
            }
        }
        if (options.closeOutputAfter && result.output.size() >= *options.closeOutputAfter) output.close();
        if (options.interrupt && !signalled && !result.output.empty()) {
            ::kill(child, SIGINT);
            signalled = true;
        }
    }
}

} // namespace

ProcessResult runProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                         const ProcessOptions& options) {
    Pipe input = makePipe();
    Pipe output = makePipe();
    Pipe errors = makePipe();
    if (options.standardOutput)
        output.writer = Descriptor(::open(options.standardOutput->c_str(), O_WRONLY | O_CLOEXEC));

    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("no process");
    if (child == 0)
        becomeProgram(program, arguments, options, input.reader.number(), output.writer.number(),
                      errors.writer.number());
    input.reader.close();
    output.writer.close();
    errors.writer.close();

    ProcessResult result;
    auto* const previous = ::signal(SIGPIPE, SIG_IGN); // a program that does not read its input
    converse(child, options, std::move(input.writer), std::move(output.reader), std::move(errors.reader),
             result);
    ::signal(SIGPIPE, previous);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

} // namespace earshot::test
