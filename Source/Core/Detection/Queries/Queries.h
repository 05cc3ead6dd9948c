// Sounds given by words, for zero-shot detection. Each query has a name and a vector: the embedding of its
// text by the text half of the same CLAP model. Earshot has no text encoder, so the vectors are made
// elsewhere. Immutable once made: any thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::detection {

// How cosine similarities between a window's vector and the queries become probabilities.
enum class QueryScores {
    // softmax(scale * cosine) over the queries, as CLAP classifies. The probabilities sum to 1 in every
    // window, so there must be a query for everything else ("silence", "background noise"). Otherwise one of
    // the others wins where nothing sounds.
    softmax,
    // max(cosine, 0), each query by itself: for a single query, or for thresholds of one's own.
    cosine,
};

inline constexpr int mostQueries = 4096;

struct Queries {
    std::vector<std::string> names;
    int dimensions = 0;
    std::vector<float> vectors; // (names, dimensions), each of length 1

    // vectors: (names, dimensions), of any length except 0. Messages begin with `file`. Throws earshot::Error
    // when there are none or too many queries, when rows and names differ in number, when two names are
    // equal, and when a row is zero or holds a value that is not finite.
    static Queries make(std::vector<std::string> names, std::vector<float> vectors, int dimensions,
                        const std::string& file);
    int count() const { return static_cast<int>(names.size()); }
};

// Reads one name a line (LF or CRLF) or, from a .csv, as class names are read (Labels.h). Throws
// earshot::Error when the file cannot be read, and for an empty line that is not the last.
std::vector<std::string> readQueryNames(const std::filesystem::path& file, int queries);

} // namespace earshot::detection
