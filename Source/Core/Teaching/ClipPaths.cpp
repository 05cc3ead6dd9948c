#include "Core/Teaching/ClipPaths.h"

#include "Core/Base/Unicode.h"
#include "Core/Training/Data/DataSetReaders.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <system_error>

namespace earshot::teaching {

namespace fs = std::filesystem;

namespace {

std::string timeForNames() {
    using namespace std::chrono;
    const auto now = floor<seconds>(system_clock::now());
    const auto today = floor<days>(now);
    const year_month_day date(today);
    const hh_mm_ss time(now - today);
    return fmt::format("{:04}-{:02}-{:02}-{:02}{:02}{:02}", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                       time.hours().count(), time.minutes().count(), time.seconds().count());
}

} // namespace

bool isThere(const fs::path& file) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(file, ignored));
}

fs::path identityOf(const fs::path& file) {
    std::error_code failure;
    const fs::path canonical = fs::weakly_canonical(fs::absolute(file, failure), failure);
    return failure ? file.lexically_normal() : canonical;
}

fs::path within(const fs::path& folder, const fs::path& file) {
    const fs::path relative = file.lexically_relative(folder);
    return relative.empty() || *relative.begin() == ".." ? fs::path() : relative;
}

fs::path freePath(const fs::path& folder, const std::string& stem, const std::string& extension) {
    for (int number = 1;; ++number)
        if (fs::path path = folder / fmt::format("{}-{}{}", stem, number, extension); !isThere(path))
            return path;
}

std::string fileStem(std::string_view name) {
    constexpr std::size_t longest = 60; // bytes
    constexpr char32_t firstBeyondAscii = 0x80;
    std::string stem;
    while (!name.empty()) {
        const auto [bytes, code] = takeCharacter(name);
        const char c = bytes.front();
        const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        const bool shown = code && *code >= firstBeyondAscii && !isControl(*code) && !isInvisible(*code);
        if (stem.size() + bytes.size() > longest) break;
        if (alphanumeric || shown)
            stem += training::lowerCase(bytes);
        else if (!stem.empty() && stem.back() != '-')
            stem += '-';
    }
    while (stem.ends_with('-')) stem.pop_back();
    return stem.empty() ? "sound" : stem;
}

fs::path newClip(const fs::path& folder, std::string_view name) {
    return freePath(folder, fileStem(name) + "-" + timeForNames(), ".flac");
}

} // namespace earshot::teaching
