// Queries: sounds described in words, for zero-shot detection. Each query has a name and a vector, which the
// text encoder of the same CLAP model made from its text (`earshot embed --texts`, or another program).
// Immutable once made: any thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace earshot::detection {

// How the cosine similarities between a vector of sound and the queries become probabilities. The first and
// the last are published practice; the others are Earshot's.
enum class QueryScores {
    // softmax(scale * cosine) over the queries, as CLAP classifies. They sum to 1 in every window, so one
    // query must stand for everything else ("silence", "background noise"); otherwise one of the others wins
    // where there is no sound.
    softmax,
    // The same for each query by itself, against the rivals alone: another query changes nothing.
    each,
    // The normal distribution's share below (cosine - m) / s, with the mean m and the deviation s, at least
    // minDeviation, of the rivals' cosines: 0.5 is as near as the rivals are, 0.98 two deviations nearer.
    zscore,
    // max(cosine, 0), each query independently: for a single query, or with thresholds chosen by the user.
    cosine,
};
inline constexpr double minDeviation = 0.02; // of the rivals' cosines

// Returns how many rivals are needed: with fewer, Queries mean nothing in these scores.
int minNegatives(QueryScores how);

// What is compared with the queries.
enum class QueryTimes {
    window, // the vector of a whole window, which stands for all its tokens
    // Each token's own vector as well; a column has the lower of the two scores, so that a query which the
    // window as a whole rejects does not light up. The networks were not trained for it, but it found more
    // events in a trial (Tests/Benchmark/words_trial.py).
    token,
};

// How queries are listened for.
struct QueryListening {
    QueryScores scores = QueryScores::softmax;
    QueryTimes times = QueryTimes::token;
    bool joins = false; // the queries come after the model's own classes, else in their place
    // The model's own classes are among a column's numbers even where queries take their place, so that
    // either may be chosen for what is kept.
    bool keepsClasses = false;
};

inline constexpr int maxQueries = 4096;

struct Queries {
    std::vector<std::string> names;
    int negatives = 0; // vectors after those of the names: they compete in a softmax, and nobody sees them
    int dimensions = 0;
    std::vector<float> vectors; // (names + rivals, dimensions), each of length 1

    // vectors: (names + rivals, dimensions), of any length but 0. Messages begin with `file`. Throws
    // earshot::Error if there are no queries or too many, if rows and names differ in number, if two names
    // are equal, or if a row is zero or holds values that are not numbers.
    static Queries make(std::vector<std::string> names, std::vector<float> vectors, int dimensions,
                        const std::string& file, int negatives = 0);
    int count() const { return static_cast<int>(names.size()); }
};

// Reads one name per line, LF or CRLF; a .csv is read like class names (Labels.h).
// Throws earshot::Error if the file cannot be read, or an empty line is not at the end.
std::vector<std::string> readQueryNames(const std::filesystem::path& file, int queries);

} // namespace earshot::detection
