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

constexpr std::uint64_t maxNameBytes = 1 << 20;

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

} // namespace

Queries Queries::make(std::vector<std::string> names, std::vector<float> vectors, int dimensions,
                      const std::string& file, int negatives) {
    const std::size_t all = dimensions > 0 ? vectors.size() / static_cast<std::size_t>(dimensions) : 0;
    const std::size_t rows = all - std::min(all, static_cast<std::size_t>(negatives));
    if (rows == 0) throw Error(file + ": holds no queries; give one row for each text");
    if (rows > maxQueries)
        throw Error(fmt::format("{}: holds {} queries, more than {}; give fewer", file, rows, maxQueries));
    if (names.size() != rows)
        throw Error(fmt::format("{}: holds {} queries, but {} names were given; give one for each", file,
                                rows, names.size()));
    std::set<std::string_view> known;
    for (const std::string& name : names)
        if (!known.insert(name).second)
            throw Error(fmt::format("{}: two queries are called \"{}\"; rename one", file, name));
    Queries queries{std::move(names), negatives, dimensions, std::move(vectors)};
    const auto width = static_cast<std::size_t>(dimensions);
    for (std::size_t i = 0; i < all; ++i)
        normaliseRow(std::span(queries.vectors).subspan(i * width, width),
                     i < rows ? queries.names[i] : "everything else", file);
    return queries;
}

int minNegatives(QueryScores how) {
    switch (how) {
    case QueryScores::each:
        return 1;
    case QueryScores::zscore:
        return 2;
    default:
        return 0;
    }
}

std::vector<std::string> readQueryNames(const std::filesystem::path& file, int queries) {
    if (file.extension() == ".csv") return labelsFromFile(file, queries);
    const auto shown = displayName(file);
    auto names = readTextLines(file, maxNameBytes, "file of the queries' names, one a line");
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i].empty())
            throw Error(fmt::format("{}: line {} is empty; give every query a name", shown, i + 1));
        names[i] = printable(names[i]);
    }
    return names;
}

} // namespace earshot::detection
