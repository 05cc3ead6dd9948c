// Sounds as words: what zero-shot detection listens for. Each query has a name and a vector, its text as the
// text half of the same CLAP model embeds it. Text encoders are not part of Earshot: vectors are made
// elsewhere. Immutable once made: any thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::detection {

// How cosine similarities of a window's vector and the queries' become probabilities.
enum class QueryScores {
    // softmax(scale * cosine) over the queries, as CLAP classifies. They sum to 1 in every window: there must
    // be a query for everything else ("silence", "background noise"), or one of the others wins where nothing
    // sounds.
    softmax,
    // max(cosine, 0), each query by itself: for one query, or for thresholds of one's own.
    cosine,
};

inline constexpr int mostQueries = 4096;

struct Queries {
    std::vector<std::string> names;
    int dimensions = 0;
    std::vector<float> vectors; // (names, dimensions), each of length 1

    // vectors: (names, dimensions), of any length but 0. `file` opens the messages. Throws earshot::Error
    // when there are none or too many, when rows and names differ in number, when two names are equal, and
    // for rows that are zero or not numbers.
    static Queries make(std::vector<std::string> names, std::vector<float> vectors, int dimensions,
                        const std::string& file);
    int count() const { return static_cast<int>(names.size()); }
};

// One name a line, LF or CRLF; or, in a .csv, as class names (Labels.h).
// Throws earshot::Error when the file cannot be read, or for an empty line that is not at the end.
std::vector<std::string> readQueryNames(const std::filesystem::path& file, int queries);

} // namespace earshot::detection
