#include "Support/RealtimeGuard.h"

#include <array>
#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define EARSHOT_SANITIZED
#endif
#endif
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&                 \
    !defined(EARSHOT_SANITIZED)
#include <features.h>
#ifdef __GLIBC__
#define EARSHOT_GUARDS
#endif
#endif

namespace {

struct Calls {
    bool counting = false;
    std::size_t count = 0;
    std::array<const char*, 64> names{};

    void note(const char* name) noexcept {
        if (!counting) return;
        if (count < names.size()) names[count] = name;
        ++count;
    }
};

constinit thread_local Calls calls;

} // namespace

namespace earshot::test {

RealtimeGuard::RealtimeGuard() {
    calls.count = 0;
    calls.counting = true;
}

RealtimeGuard::~RealtimeGuard() { calls.counting = false; }

std::vector<std::string> RealtimeGuard::violations() {
    calls.counting = false;
    const auto known = calls.count < calls.names.size() ? calls.count : calls.names.size();
    return {calls.names.begin(), calls.names.begin() + static_cast<std::ptrdiff_t>(known)};
}

bool RealtimeGuard::available() {
#ifdef EARSHOT_GUARDS
    return true;
#else
    return false;
#endif
}

} // namespace earshot::test

#ifdef EARSHOT_GUARDS

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/types.h>

namespace {

// The function that this program's own one replaces. Condition variables have an old version of each
// function, which dlsym would find.
template <typename Function>
class Real {
  public:
    constexpr explicit Real(const char* name)
        : name_(name) {}

    Function* get() {
        Function* function = found_.load(std::memory_order_acquire);
        if (function == nullptr) {
            void* symbol = dlvsym(RTLD_NEXT, name_, "GLIBC_2.3.2");
            if (symbol == nullptr) symbol = dlsym(RTLD_NEXT, name_);
            function = reinterpret_cast<Function*>(symbol);
            found_.store(function, std::memory_order_release);
        }
        return function;
    }

  private:
    const char* name_;
    std::atomic<Function*> found_ = nullptr;
};

} // namespace

// The C library's own declarations decide over linkage and exceptions.
#define EARSHOT_STAND_IN extern "C" __attribute__((visibility("default")))

// Defines a function that records its name and calls the one that it replaces.
#define EARSHOT_GUARD(result, name, parameters, arguments, suffix)                                           \
    EARSHOT_STAND_IN result name parameters suffix {                                                         \
        static constinit Real<result parameters> real(#name);                                                \
        calls.note(#name);                                                                                   \
        return real.get() arguments;                                                                         \
    }

// The allocator: dlsym itself allocates, so these call glibc's other names for the same functions.
extern "C" {
void* __libc_malloc(std::size_t size) noexcept;
void* __libc_calloc(std::size_t count, std::size_t size) noexcept;
void* __libc_realloc(void* memory, std::size_t size) noexcept;
void* __libc_memalign(std::size_t alignment, std::size_t size) noexcept;
void __libc_free(void* memory) noexcept;
}

EARSHOT_STAND_IN void* malloc(std::size_t size) noexcept {
    calls.note("malloc");
    return __libc_malloc(size);
}

EARSHOT_STAND_IN void* calloc(std::size_t count, std::size_t size) noexcept {
    calls.note("calloc");
    return __libc_calloc(count, size);
}

EARSHOT_STAND_IN void* realloc(void* memory, std::size_t size) noexcept {
    calls.note("realloc");
    return __libc_realloc(memory, size);
}

EARSHOT_STAND_IN void free(void* memory) noexcept {
    if (memory != nullptr) calls.note("free");
    __libc_free(memory);
}

EARSHOT_STAND_IN void* memalign(std::size_t alignment, std::size_t size) noexcept {
    calls.note("memalign");
    return __libc_memalign(alignment, size);
}

EARSHOT_STAND_IN void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    calls.note("aligned_alloc");
    return __libc_memalign(alignment, size);
}

EARSHOT_STAND_IN int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
    calls.note("posix_memalign");
    if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
    void* allocated = __libc_memalign(alignment, size);
    if (allocated == nullptr) return ENOMEM;
    *memory = allocated;
    return 0;
}

EARSHOT_GUARD(int, pthread_mutex_lock, (pthread_mutex_t * mutex), (mutex), noexcept)
EARSHOT_GUARD(int, pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex), noexcept)
EARSHOT_GUARD(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock), noexcept)
EARSHOT_GUARD(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock), noexcept)
EARSHOT_GUARD(int, pthread_spin_lock, (pthread_spinlock_t * lock), (lock), noexcept)
EARSHOT_GUARD(int, pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t* mutex),
              (condition, mutex), )
EARSHOT_GUARD(int, pthread_cond_timedwait,
              (pthread_cond_t * condition, pthread_mutex_t* mutex, const timespec* until),
              (condition, mutex, until), )
EARSHOT_GUARD(int, pthread_cond_clockwait,
              (pthread_cond_t * condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until),
              (condition, mutex, clock, until), )
EARSHOT_GUARD(int, pthread_cond_signal, (pthread_cond_t * condition), (condition), noexcept)
EARSHOT_GUARD(int, pthread_cond_broadcast, (pthread_cond_t * condition), (condition), noexcept)
EARSHOT_GUARD(int, pthread_create,
              (pthread_t * thread, const pthread_attr_t* attributes, void* (*body)(void*), void* argument),
              (thread, attributes, body, argument), noexcept)
EARSHOT_GUARD(int, pthread_join, (pthread_t thread, void** result), (thread, result), )
EARSHOT_GUARD(int, sem_wait, (sem_t * semaphore), (semaphore), )
EARSHOT_GUARD(int, sem_post, (sem_t * semaphore), (semaphore), noexcept)

EARSHOT_GUARD(int, nanosleep, (const timespec* time, timespec* left), (time, left), )
EARSHOT_GUARD(int, clock_nanosleep, (clockid_t clock, int flags, const timespec* time, timespec* left),
              (clock, flags, time, left), )
EARSHOT_GUARD(int, usleep, (useconds_t time), (time), )
EARSHOT_GUARD(unsigned, sleep, (unsigned seconds), (seconds), )
EARSHOT_GUARD(int, sched_yield, (), (), noexcept)
EARSHOT_GUARD(int, poll, (pollfd * files, nfds_t count, int timeout), (files, count, timeout), )

EARSHOT_GUARD(ssize_t, read, (int file, void* bytes, size_t count), (file, bytes, count), )
EARSHOT_GUARD(ssize_t, write, (int file, const void* bytes, size_t count), (file, bytes, count), )
EARSHOT_GUARD(ssize_t, send, (int socket, const void* bytes, size_t count, int flags),
              (socket, bytes, count, flags), )
EARSHOT_GUARD(int, close, (int file), (file), )

EARSHOT_STAND_IN int open(const char* path, int flags, ...) {
    static constinit Real<int(const char*, int, ...)> real("open");
    calls.note("open");
    va_list more;
    va_start(more, flags);
    const int mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, int) : 0;
    va_end(more);
    return real.get()(path, flags, mode);
}

// The functions that std::atomic's wait() and notify() call.
EARSHOT_STAND_IN long syscall(long number, ...) noexcept {
    static constinit Real<long(long, ...)> real("syscall");
    calls.note("syscall");
    va_list more;
    va_start(more, number);
    std::array<long, 6> arguments{};
    for (long& argument : arguments) argument = va_arg(more, long);
    va_end(more);
    return real.get()(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                      arguments[5]);
}

#endif
