// SHA-256 (FIPS 180-4) as 64 lower-case hexadecimal digits. Pure functions: any thread.
#pragma once

#include "Core/Base/Stop.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace earshot {

std::string sha256(std::string_view bytes);
// Reads the file in pieces. Throws earshot::Error, naming it, when it is no regular file or cannot be read,
// and Stopped once it is asked to stop.
std::string sha256OfFile(const std::filesystem::path& file, const StopToken& stop = {});

} // namespace earshot
