#include "Core/Base/Platform/System.h"

#include <csignal>
#include <cstdlib>
#include <ctime>

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#if defined(__linux__)
#include <link.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#include <pthread/qos.h>
#endif

namespace earshot::platform {

namespace {

void (*interruptHandler)() = nullptr;

extern "C" void onInterrupt(int) { interruptHandler(); }

} // namespace

std::filesystem::path ownBinary() {
    const void* address = reinterpret_cast<const void*>(&ownBinary);
    Dl_info info{};
#if defined(__GLIBC__)
    // For the main program dladdr() reports argv[0] and the link map's name is empty.
    struct link_map* linked = nullptr;
    if (::dladdr1(address, &info, reinterpret_cast<void**>(&linked), RTLD_DL_LINKMAP) != 0 &&
        linked != nullptr && linked->l_name != nullptr && *linked->l_name != '\0')
        return linked->l_name;
    return "/proc/self/exe";
#else
    if (::dladdr(address, &info) != 0 && info.dli_fname != nullptr) return info.dli_fname;
    return {};
#endif
}

void keepLoaded() noexcept {
    Dl_info info{};
    // Fails for the program's own file, which stays loaded anyway.
    if (dladdr(reinterpret_cast<const void*>(&keepLoaded), &info) != 0 && info.dli_fname != nullptr)
        dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

void* openLibrary(const char* name) noexcept { return ::dlopen(name, RTLD_NOW | RTLD_LOCAL); }

void* functionOf(void* library, const char* name) noexcept { return ::dlsym(library, name); }

bool requestTileRegisters() {
#if defined(__linux__) && defined(__x86_64__)
    // Tile registers are large, so Linux wants a request first (Documentation/arch/x86/xstate.rst).
    constexpr long requestPermission = 0x1023, tileData = 18;
    return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
    return false;
#endif
}

void yieldToOthers() noexcept {
#if defined(__linux__)
    constexpr int lowest = 19;
    setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), lowest); // of one thread on Linux
#elif defined(__APPLE__)
    pthread_set_qos_class_self_np(QOS_CLASS_BACKGROUND, 0);
#endif
}

std::vector<std::string> arguments(int argc, const char* const* argv) { return {argv, argv + argc}; }

std::optional<std::string> environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

std::filesystem::path logFolder() {
    const std::filesystem::path home = environment("HOME").value_or("");
#if defined(__APPLE__)
    return home.is_absolute() ? home / "Library/Logs/Earshot" : std::filesystem::path();
#else
    const std::filesystem::path state = environment("XDG_STATE_HOME").value_or("");
    if (state.is_absolute()) return state / "earshot"; // the specification ignores relative ones
    return home.is_absolute() ? home / ".local/state/earshot" : std::filesystem::path();
#endif
}

std::int64_t processId() { return ::getpid(); }

int localOffsetAt(std::int64_t utc) {
    const auto time = static_cast<std::time_t>(utc);
    std::tm local{};
    return ::localtime_r(&time, &local) != nullptr ? static_cast<int>(local.tm_gmtoff) : 0;
}

bool isTerminal(std::FILE* stream) { return ::isatty(::fileno(stream)) != 0; }

void prepareStandardStreams() {
    // open() takes the lowest free descriptor, which is that of the missing stream.
    const auto reserve = [](int descriptor, const char* file, int access) {
        if (::fcntl(descriptor, F_GETFD) < 0 && ::open(file, access) < 0) return;
    };
    reserve(STDIN_FILENO, "/dev/null", O_RDWR);
    reserve(STDOUT_FILENO, "/", O_RDONLY);
    reserve(STDERR_FILENO, "/dev/null", O_RDWR);
}

void catchInterrupts(void (*handler)()) {
    interruptHandler = handler;
    struct sigaction action {};
    action.sa_handler = onInterrupt;
    // Without SA_RESTART, Ctrl-C ends a wait for standard input. With SA_RESETHAND, a second signal ends the
    // program.
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

} // namespace earshot::platform
