#include "Core/Detection/Queries/ListeningModel.h"

#include "Core/Base/Error.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Queries/QueryTokenModel.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Formats/Npy.h"

#include <fmt/format.h>

#include <utility>

namespace earshot::detection {

namespace {

const char* nameOf(QueryScores scores) { return scores == QueryScores::softmax ? "softmax" : "cosine"; }

// Returns where the names of the queries may be, unless --query-names names the file.
std::vector<std::filesystem::path> besides(const std::filesystem::path& vectors) {
    auto text = vectors, table = vectors;
    return {text.replace_extension(".txt"), table.replace_extension(".csv")};
}

std::filesystem::path namesFile(const QueryChoice& choice) {
    if (choice.names) return *choice.names;
    const auto candidates = besides(*choice.file);
    std::error_code notThere;
    for (const auto& candidate : candidates)
        if (std::filesystem::exists(candidate, notThere)) return candidate;
    throw Error(fmt::format("{}: its names are missing; write them into {}, one a line, or name a file with "
                            "--query-names",
                            displayName(*choice.file), displayName(candidates.front())));
}

std::shared_ptr<const Queries> readQueries(const QueryChoice& choice) {
    const std::filesystem::path file = *choice.file;
    auto array = formats::readNpy(file);
    if (array.shape.size() != 2 || array.shape[1] < 1 || array.shape[1] > (1 << 16))
        throw Error(fmt::format("{}: expected an array of two dimensions, (queries, values), found {}",
                                displayName(file), array.shape.size()));
    auto names = readQueryNames(namesFile(choice),
                                static_cast<int>(std::min<std::int64_t>(array.shape[0], mostQueries + 1)));
    auto queries = Queries::make(std::move(names), std::move(array.values), static_cast<int>(array.shape[1]),
                                 displayName(file));
    if (queries.count() < 2 && choice.how() == QueryScores::softmax)
        throw Error(fmt::format("{}: one query alone always wins; add one for everything else, such as "
                                "\"background noise\", or use --query-scores cosine",
                                displayName(file)));
    return std::make_shared<const Queries>(std::move(queries));
}

std::string digestOf(const Queries& queries) {
    std::string text(reinterpret_cast<const char*>(queries.vectors.data()),
                     queries.vectors.size() * sizeof(float));
    for (const auto& name : queries.names) text += name + "\n";
    return sha256(text);
}

} // namespace

double ListeningModel::secondsPerToken() const {
    return shape.framesPerToken * weights->config().secondsPerFrame();
}

std::vector<std::filesystem::path> filesOf(const QueryChoice& choice) {
    if (!choice.file) return {};
    auto files = besides(*choice.file);
    if (choice.names) files = {*choice.names};
    files.emplace_back(*choice.file);
    return files;
}

ListeningModel makeListeningModel(const std::shared_ptr<const model::Weights>& weights,
                                  const QueryChoice& choice) {
    const auto& config = weights->config();
    if (!choice.file)
        return {weights,
                Labels::read(weights->metadata(), weights->file(), config.classes),
                [weights] { return makeNetworkTokenModel(weights); },
                {.windowFrames = config.windowFrames(), .framesPerToken = config.framesPerToken()}};
    auto queries = readQueries(choice);
    const auto shape = queryShape(*weights, *queries);
    return {weights, Labels::named(queries->names, weights->metadata(), displayName(*choice.file)),
            [weights, queries, how = choice.how()] { return makeQueryTokenModel(weights, queries, how); },
            shape, fmt::format("{} {}", digestOf(*queries), nameOf(choice.how()))};
}

} // namespace earshot::detection
