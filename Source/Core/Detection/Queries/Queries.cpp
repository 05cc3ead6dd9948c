#include "Core/Detection/Queries/Queries.h"

#include "Core/Base/Error.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Events/Labels.h"
#include "Core/Model/Network/ClapProjection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

namespace earshot::detection {

namespace {

constexpr std::uint64_t mostNameBytes = 1 << 20;

void normaliseRow(std::span<float> row, const std::string& name, const std::string& file) {
    double squares = 0.0;
    for (const float value : row) squares += static_cast<double>(value) * value;
    const auto problem = [&](std::string_view what) {
        return Error(fmt::format("{}: the vector of \"{}\" {}; embed its text again", file, name, what));
    };
    if (!std::isfinite(squares)) throw problem("holds values that are not numbers");
    if (!(squares > 0.0)) throw problem("is zero");
    model::normaliseLength(row);
}

std::vector<std::string> linesOf(std::string_view text) {
    std::vector<std::string> lines;
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3); // a byte order mark
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        auto line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.emplace_back(line);
    }
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
}

} // namespace

Queries Queries::make(std::vector<std::string> names, std::vector<float> vectors, int dimensions,
                      const std::string& file) {
    const std::size_t rows = dimensions > 0 ? vectors.size() / static_cast<std::size_t>(dimensions) : 0;
    if (rows == 0) throw Error(file + ": holds no queries; give one row for each text");
    if (rows > mostQueries)
        throw Error(fmt::format("{}: holds {} queries, more than {}; give fewer", file, rows, mostQueries));
    if (names.size() != rows)
        throw Error(fmt::format("{}: holds {} queries, but {} names were given; give one for each", file,
                                rows, names.size()));
    std::set<std::string_view> known;
    for (const std::string& name : names)
        if (!known.insert(name).second)
            throw Error(fmt::format("{}: two queries are called \"{}\"; rename one", file, name));
    Queries queries{std::move(names), dimensions, std::move(vectors)};
    const auto width = static_cast<std::size_t>(dimensions);
    for (std::size_t i = 0; i < rows; ++i)
        normaliseRow(std::span(queries.vectors).subspan(i * width, width), queries.names[i], file);
    return queries;
}

std::vector<std::string> readQueryNames(const std::filesystem::path& file, int queries) {
    if (file.extension() == ".csv") return labelsFromFile(file, queries);
    const auto shown = displayName(file);
    auto names = linesOf(readWholeFile(file, mostNameBytes, "file of the queries' names, one a line"));
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i].empty())
            throw Error(fmt::format("{}: line {} is empty; give every query a name", shown, i + 1));
        names[i] = printable(names[i]);
    }
    return names;
}

} // namespace earshot::detection
