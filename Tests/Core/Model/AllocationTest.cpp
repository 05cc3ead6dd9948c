// A pass allocates nothing in Earshot's own code. oneDNN's execute() makes small argument tables of its own;
// they are told apart by who called the allocator.
#include "Core/Detection/Windows/CalibrationAudio.h"
#include "Core/Model/Network/Network.h"
#include "Core/Tensor/Threads.h"
#include "Support/Catch.h"
#include "Support/Compare.h"
#include "Support/ProceduralWeights.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <vector>

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <dlfcn.h>

namespace {

std::atomic<bool> counting = false;
std::atomic<int> allocationsOfOurs = 0;

// Whether an address lies in the test program itself, where Earshot is linked statically.
bool isOurs(void* address) {
    Dl_info caller{}, self{};
    if (dladdr(address, &caller) == 0 || dladdr(reinterpret_cast<void*>(&isOurs), &self) == 0) return true;
    return caller.dli_fbase == self.dli_fbase;
}

void* allocate(std::size_t bytes, std::size_t alignment, void* caller) {
    if (counting.load(std::memory_order_relaxed)) {
        counting = false; // dladdr may allocate
        if (isOurs(caller)) ++allocationsOfOurs;
        counting = true;
    }
    const auto rounded = (bytes + alignment - 1) / alignment * alignment;
    void* p = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
    if (p == nullptr) throw std::bad_alloc();
    return p;
}

} // namespace

void* operator new(std::size_t bytes) {
    return allocate(bytes, alignof(std::max_align_t), __builtin_return_address(0));
}
void* operator new[](std::size_t bytes) {
    return allocate(bytes, alignof(std::max_align_t), __builtin_return_address(0));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return allocate(bytes, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return allocate(bytes, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

TEST_CASE("a pass allocates nothing in Earshot's own code", "[unit][network][no-emulator][threads]") {
    using namespace earshot;
    tensor::setThreadCount(1);
    const auto precision =
        GENERATE(model::Precision::float32, model::Precision::bfloat16, model::Precision::int8);
    const auto model = GENERATE(test::tinyModel(), test::withV2Blocks(test::tinyModel()));
    model::Network network(
        model::makeWeights(*test::proceduralCheckpoint(model), precision, detection::calibrationWindows));
    const auto whole = test::randomValues(1024 * 64, 1, -80.0f, 10.0f);
    const auto part = test::randomValues(300 * 64, 2, -80.0f, 10.0f);
    const std::size_t hop = GENERATE(32, 256); // the first stage in columns, in rows
    const auto stream = test::randomValues((1024 + 3 * hop) * 64, 3, -80.0f, 10.0f);
    const auto window = [&](std::size_t index) {
        return std::span(stream).subspan(index * hop * 64, 1024 * 64);
    };
    network.expectHop(static_cast<std::int64_t>(hop), 1024);
    network.run(whole); // per-thread scratch is made at the first pass

    allocationsOfOurs = 0;
    counting = true;
    network.run(whole);
    network.run(part);
    network.run(window(1));
    network.run(window(2));
    network.run(window(3));
    counting = false;
    REQUIRE(allocationsOfOurs == 0);

    counting = true;
    delete new char; // the counter does count
    std::vector<float> grown(1000);
    counting = false;
    REQUIRE(grown.size() == 1000);
    REQUIRE(allocationsOfOurs > 0);
}

#endif
