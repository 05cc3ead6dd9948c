#include "Core/Batch/Shard.h"

#include <fmt/format.h>

#include <charconv>

namespace earshot::batch {

namespace {

std::optional<Shard> parse(std::string_view text, std::string_view separator) {
    const auto middle = text.find(separator);
    if (middle == std::string_view::npos) return std::nullopt;
    const auto number = [](std::string_view digits) -> std::optional<int> {
        int value = 0;
        const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        const bool whole = failure == std::errc() && end == digits.data() + digits.size() && value >= 0;
        return whole ? std::optional(value) : std::nullopt;
    };
    const auto index = number(text.substr(0, middle));
    const auto count = number(text.substr(middle + separator.size()));
    if (!index || !count || *index >= *count) return std::nullopt;
    return Shard{*index, *count};
}

constexpr std::string_view prefix = "shard-";

} // namespace

std::optional<Shard> parseShard(std::string_view text) { return parse(text, "/"); }

std::string folderName(const Shard& shard) {
    return fmt::format("{}{}-of-{}", prefix, shard.index, shard.count);
}

std::optional<Shard> shardOfFolder(const std::filesystem::path& folder) {
    const std::string name = folder.filename().string();
    if (!name.starts_with(prefix)) return std::nullopt;
    return parse(std::string_view(name).substr(prefix.size()), "-of-");
}

} // namespace earshot::batch
