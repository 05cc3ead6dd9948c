#include "Core/Detection/Queries/ListeningModel.h"

#include "Core/Base/Error.h"
#include "Core/Base/Float16.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"
#include "Core/Detection/Queries/QueryTokenModel.h"
#include "Core/Detection/Windows/NetworkTokenModel.h"
#include "Core/Formats/Npy.h"
#include "Core/Model/Network/ClapProjection.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Model/Reading/ConfigReader.h"
#include "Core/Text/TextEncoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace earshot::detection {

namespace {

const char* nameOf(QueryScores scores) {
    switch (scores) {
    case QueryScores::softmax:
        return "softmax";
    case QueryScores::each:
        return "each";
    case QueryScores::zscore:
        return "zscore";
    case QueryScores::cosine:
        return "cosine";
    }
    return "";
}

std::string describe(const QueryListening& how) {
    return fmt::format("{}{}{}", nameOf(how.scores), how.times == QueryTimes::token ? " token" : "",
                       how.joins ? " joined" : "");
}

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

void requireRivals(const Queries& queries, QueryScores how, const std::string& where) {
    if (queries.count() + queries.negatives < 2 && how == QueryScores::softmax)
        throw Error(where + ": one query alone always wins; add one for everything else, such as "
                            "\"background noise\", or use --query-scores cosine");
    if (queries.negatives < minNegatives(how))
        throw Error(
            fmt::format("{}: --query-scores {} compares each query with rivals, and needs at least {}; "
                        "use --listen with --rivals, or --query-scores softmax or cosine",
                        where, nameOf(how), minNegatives(how)));
}

std::shared_ptr<const Queries> readQueries(const QueryChoice& choice) {
    const std::filesystem::path file = *choice.file;
    auto array = formats::readNpy(file);
    if (array.shape.size() != 2 || array.shape[1] < 1 || array.shape[1] > (1 << 16))
        throw Error(fmt::format("{}: expected an array of two dimensions, (queries, values), found {}",
                                displayName(file), array.shape.size()));
    auto names = readQueryNames(namesFile(choice),
                                static_cast<int>(std::min<std::int64_t>(array.shape[0], maxQueries + 1)));
    auto queries = Queries::make(std::move(names), std::move(array.values), static_cast<int>(array.shape[1]),
                                 displayName(file));
    requireRivals(queries, choice.how().scores, displayName(file));
    return std::make_shared<const Queries>(std::move(queries));
}

TextPrompt textPromptOfLine(const std::string& line, const std::filesystem::path& file, std::size_t number) {
    try {
        return parseTextPrompt(line);
    } catch (const Error& error) {
        throw Error(fmt::format("{}: line {}: {}", displayName(file), number, error.what()));
    }
}

std::vector<TextPrompt> readTextPrompts(const TextChoice& choice) {
    auto found = choice.texts;
    if (choice.file) {
        constexpr std::uint64_t maxBytes = 1 << 20;
        const auto lines = readTextLines(*choice.file, maxBytes, "file of texts to listen for, one a line");
        for (std::size_t i = 0; i < lines.size(); ++i)
            found.push_back(textPromptOfLine(lines[i], *choice.file, i + 1));
        if (lines.empty())
            throw Error(displayName(*choice.file) + ": is empty; write one text, or text=name, a line");
    }
    if (found.size() + choice.negatives.size() > maxQueries)
        throw Error(fmt::format("{} texts are more than {}; listen for fewer", found.size(), maxQueries));
    return found;
}

// The queries, and the texts that they follow from.
struct EmbeddedTexts {
    std::vector<TextPrompt> listened;       // those that have a vector
    std::shared_ptr<const Queries> queries; // null: none can be listened for
    std::string sources;
    std::string notice;  // ListeningModel::notice
    std::size_t cut = 0; // ListeningModel::cutTexts
};

std::string prompted(const model::Weights& weights, const TextChoice& choice, const std::string& text) {
    text::TextHalf half;
    const bool isMicrosoft = weights.kind() == model::microsoftKind;
    half.vocabulary = isMicrosoft ? text::Vocabulary::gpt2 : text::Vocabulary::roberta;
    return choice.plain ? text : half.prompt(text);
}

// Embeds those of the texts that are not known. Returns how many were cut. Throws as makeListeningModel().
std::size_t learn(const model::Weights& weights, const TextChoice& choice,
                  const std::vector<std::string>& texts, TextVectors& known, const StopToken& stop) {
    const auto& space = weights.projection()->digest;
    std::vector<std::string> unknown, prompts;
    for (const auto& text : texts)
        if (!known.find(space, text)) unknown.push_back(text);
    if (unknown.empty()) return 0;
    const auto checkpoint = model::Checkpoint::open(weights.source(), stop);
    text::TextEncoder encoder(*checkpoint, weights.precision());
    encoder.setProgress(choice.progress);
    for (const auto& text : unknown) prompts.push_back(prompted(weights, choice, text));
    const auto vectors = encoder.embed(prompts);
    const auto width = static_cast<std::size_t>(encoder.half().dimensions);
    for (std::size_t i = 0; i < unknown.size(); ++i) {
        TextVectors::Vector rounded(width);
        std::ranges::transform(vectors.values().subspan(i * width, width), rounded.begin(), toFloat16);
        known.add(space, unknown[i], std::move(rounded));
    }
    return encoder.cutTexts();
}

// Appends the vector of a text. Returns false if there is none that could be one: vectors may come from a
// project, and so from strangers.
bool appendVector(const TextVectors& known, const model::ClapProjectionWeights& space,
                  const std::string& text, std::vector<float>& vectors) {
    const auto vector = known.find(space.digest, text);
    const auto isFinite = [](std::uint16_t half) { return std::isfinite(fromFloat16(half)); };
    const auto isZero = [](std::uint16_t half) { return fromFloat16(half) == 0.0f; };
    if (!vector || vector->size() != static_cast<std::size_t>(space.dimensions()) ||
        !std::ranges::all_of(*vector, isFinite) || std::ranges::all_of(*vector, isZero))
        return false;
    std::ranges::transform(*vector, std::back_inserter(vectors),
                           [](std::uint16_t half) { return fromFloat16(half); });
    return true;
}

EmbeddedTexts embedTexts(const model::Weights& weights, const QueryChoice& choice, const StopToken& stop) {
    const auto& listen = choice.listen;
    const auto listened = readTextPrompts(listen);
    auto texts = listen.negatives;
    for (const auto& one : listened) texts.push_back(one.text);
    const auto known = listen.known ? listen.known : std::make_shared<TextVectors>();
    std::string problem = "their vectors are damaged; remove the words and type them again";
    EmbeddedTexts result;
    try {
        result.cut = learn(weights, listen, texts, *known, stop);
    } catch (const Error& error) {
        if (!listen.known) throw;
        problem = error.what();
    }

    std::vector<std::string> names, missing;
    std::vector<float> vectors;
    for (const auto& one : listened) {
        if (!appendVector(*known, *weights.projection(), one.text, vectors)) {
            missing.push_back('"' + one.name + '"');
            continue;
        }
        result.listened.push_back(one);
        names.push_back(one.name);
        const auto prompt = prompted(weights, listen, one.text);
        result.sources += fmt::format("{}:{}={}\n", prompt.size(), prompt, one.name);
    }
    bool hasRivals = true;
    for (const auto& negative : listen.negatives) {
        hasRivals = appendVector(*known, *weights.projection(), negative, vectors) && hasRivals;
        const auto prompt = prompted(weights, listen, negative);
        result.sources += fmt::format("{}:{}\n", prompt.size(), prompt);
    }
    constexpr std::size_t maxNamed = 3;
    if (!missing.empty() || !hasRivals)
        result.notice =
            fmt::format("Not listening for {}: {}",
                        hasRivals && missing.size() <= maxNamed ? fmt::format("{}", fmt::join(missing, ", "))
                                                                : "the words",
                        problem);
    if (!hasRivals || names.empty()) return result;
    auto queries = Queries::make(std::move(names), std::move(vectors), weights.projection()->dimensions(),
                                 "--listen", static_cast<int>(listen.negatives.size()));
    requireRivals(queries, choice.how().scores, "--listen");
    result.queries = std::make_shared<const Queries>(std::move(queries));
    return result;
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
    if (choice.listen.file) return {*choice.listen.file};
    if (!choice.file) return {};
    auto files = besides(*choice.file);
    if (choice.names) files = {*choice.names};
    files.emplace_back(*choice.file);
    return files;
}

TextPrompt parseTextPrompt(const std::string& given) {
    const auto trimmed = [](const std::string& text) {
        constexpr const char* blanks = " \t\r\n";
        const auto first = text.find_first_not_of(blanks);
        return first == std::string::npos ? std::string()
                                          : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
    };
    const auto equals = given.rfind('=');
    const auto text = trimmed(given.substr(0, equals));
    const auto name = printable(equals == std::string::npos ? text : trimmed(given.substr(equals + 1)));
    if (validUtf8(text) != text)
        throw Error(fmt::format("\"{}\" is not UTF-8; write it in UTF-8", printable(given)));
    if (text.empty() || name.empty())
        throw Error(
            fmt::format("\"{}\" is nothing to listen for; write a text, or text=name", printable(given)));
    return {text, name};
}

namespace {

ListeningModel withoutQueries(const std::shared_ptr<const model::Weights>& weights) {
    const auto& config = weights->config();
    return {weights,
            Labels::read(weights->metadata(), weights->file(), config.classes),
            [weights] { return makeNetworkTokenModel(weights); },
            nullptr,
            {.windowFrames = config.windowFrames(), .framesPerToken = config.framesPerToken()}};
}

// Makes token models of it whose columns can be scored with queries later.
void makeReady(ListeningModel& model, const QueryListening& how) {
    model.makePlainModel = std::move(model.makeTokenModel);
    model.makeTokenModel = [weights = model.weights, how] {
        return makeQueryTokenModel(weights, nullptr, how);
    };
    model.scorer = makeQueryScorer(*model.weights, nullptr, how);
    model.shape = queryShape(*model.weights);
}

Labels labelsOf(const model::Weights& weights, const Queries& queries,
                const std::vector<TextPrompt>& listened, const std::string& source, bool joins) {
    std::vector<int> ids;
    for (const auto& one : listened)
        if (one.id > 0) ids.push_back(one.id);
    const bool numbered = ids.size() == queries.names.size();
    auto labels = joins ? Labels::read(weights.metadata(), weights.file(), weights.config().classes)
                        : Labels::named({}, weights.metadata(), source);
    return Labels::withWords(std::move(labels), queries.names,
                             numbered ? std::move(ids) : std::vector<int>{});
}

} // namespace

TextSupport textSupport(const model::Weights& weights, const StopToken& stop) {
    constexpr const char* both = "a CLAP checkpoint that holds both its halves, of sound and of texts "
                                 "(Microsoft CLAP 2023 or LAION-CLAP)";
    if (!weights.projection())
        return {false, fmt::format("To listen for words of your own, open {}", both), {}};
    const auto& space = weights.projection()->digest;
    try {
        const auto checkpoint = model::Checkpoint::open(weights.source(), stop);
        if (text::findTextHalf(*checkpoint)) return {true, {}, space};
    } catch (const Error& error) {
        return {false, error.what(), space};
    }
    return {false, fmt::format("This model's file lacks the half of texts: to type new words, open {}", both),
            space};
}

ListeningModel makeListeningModel(const std::shared_ptr<const model::Weights>& weights,
                                  const QueryChoice& choice, const StopToken& stop) {
    const bool open = choice.listen.known != nullptr;
    if ((!choice.given() && !open) || (open && !weights->projection())) return withoutQueries(weights);
    const bool listens = choice.listen.given();
    if (!weights->projection())
        throw Error(fmt::format("{}: {} with --model (see the manual, Models)", displayName(weights->file()),
                                listens
                                    ? "takes no texts; name a whole CLAP checkpoint"
                                    : "compares no sounds with vectors of texts; name the CLAP model that "
                                      "made them"));
    EmbeddedTexts texts;
    if (listens)
        texts = embedTexts(*weights, choice, stop);
    else if (choice.file)
        texts.queries = readQueries(choice);
    const auto how = choice.how();
    if (!texts.queries) {
        auto model = withoutQueries(weights);
        model.notice = std::move(texts.notice);
        if (textSupport(*weights, stop).possible) makeReady(model, how);
        return model;
    }
    const auto queries = texts.queries;
    // The last bits of vectors differ between processors; texts don't.
    const auto digest = listens ? "texts " + sha256(texts.sources) : digestOf(*queries);
    return {weights,
            labelsOf(*weights, *queries, texts.listened, listens ? "--listen" : displayName(*choice.file),
                     how.joins),
            [weights, queries, how] { return makeQueryTokenModel(weights, queries, how); },
            makeQueryScorer(*weights, queries, how),
            queryShape(*weights),
            {},
            fmt::format("{} {}", digest, describe(how)),
            std::move(texts.notice),
            texts.cut};
}

} // namespace earshot::detection
