// Numbers in texts that programs write. Pure functions: any thread.
#pragma once

#include <optional>
#include <string_view>

namespace earshot {

// A finite decimal number, and nothing else around it.
std::optional<double> parseNumber(std::string_view text);

} // namespace earshot
