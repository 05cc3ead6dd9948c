#include "Plugin/Outputs/InstanceNumber.h"

#include <mutex>
#include <set>

namespace earshot::plugin {

namespace {

struct TakenNumbers {
    std::mutex mutex;
    std::set<int> numbers;
};

TakenNumbers& takenNumbers() {
    static TakenNumbers taken;
    return taken;
}

} // namespace

InstanceNumber::InstanceNumber() {
    auto& [mutex, numbers] = takenNumbers();
    const std::scoped_lock lock(mutex);
    while (!numbers.insert(number_).second) ++number_;
}

InstanceNumber::~InstanceNumber() {
    auto& [mutex, numbers] = takenNumbers();
    const std::scoped_lock lock(mutex);
    numbers.erase(number_);
}

} // namespace earshot::plugin
