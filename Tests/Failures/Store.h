// An array of the harness itself, for which operator new is not asked. All zeros at first.
#pragma once

#include <cstddef>

#include <sys/mman.h>

namespace earshot::faults {

template <typename Item, std::size_t size>
class Store {
  public:
    Item& operator[](std::size_t index) {
        if (items_ == nullptr)
            items_ = static_cast<Item*>(::mmap(nullptr, size * sizeof(Item), PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        return items_[index];
    }
    static constexpr std::size_t capacity = size;

  private:
    Item* items_ = nullptr;
};

} // namespace earshot::faults
