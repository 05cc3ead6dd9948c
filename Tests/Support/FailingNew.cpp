#include "Support/FailingNew.h"

#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define EARSHOT_SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EARSHOT_SANITIZED
#endif

namespace {

constinit thread_local int left = 0; // 0: nothing fails

} // namespace

namespace earshot::test {

FailingNew::FailingNew(int nth) { left = nth; }
FailingNew::~FailingNew() { left = 0; }
bool FailingNew::failed() const { return left == 0; }

bool FailingNew::available() {
#ifdef EARSHOT_SANITIZED
    return false;
#else
    return true;
#endif
}

} // namespace earshot::test

#ifndef EARSHOT_SANITIZED

void* operator new(std::size_t bytes) {
    if (left > 0 && --left == 0) throw std::bad_alloc();
    if (void* memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
    throw std::bad_alloc();
}

void* operator new[](std::size_t bytes) { return operator new(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

#endif
