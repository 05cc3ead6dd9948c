// Numbers of things in sentences. Pure: any thread.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>

namespace earshot {

// "1 example", "3 examples"
std::string counted(std::integral auto number, const char* what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

} // namespace earshot
