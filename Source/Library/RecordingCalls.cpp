// The functions of earshot.h that take whole recordings: files, and samples in memory.
#include "Library/Failure.h"
#include "Library/OpenModel.h"
#include "Library/Result.h"
#include "Library/SampleAnalysis.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Tensor/Threads.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

using namespace earshot;
using namespace earshot::library;

namespace {

std::filesystem::path pathOf(const char* path) {
    requireSet(path, "path");
    require(*path != '\0', "path: is empty; name a file");
    return reinterpret_cast<const char8_t*>(path);
}

double shareOf(double seconds, std::optional<double> total) {
    return total ? std::clamp(seconds / *total, 0.0, 1.0) : -1.0;
}

// What is asked of a recording, with the columns if they are to be kept.
struct Question {
    Question(const Choice& choice, earshot_result& result)
        : columns(result.activations)
        , asked{.settings = choice.rules, .reported = choice.reported, .observers = {}, .nearMisses = false} {
        if (choice.keepsActivations) asked.observers = {&columns};
    }

    KeptColumns columns;
    detection::RecordingQuestion asked;
};

detection::RecordingResult analyze(audio::AudioFile& file, const OpenModel& model, const Choice& choice,
                                   const detection::RecordingQuestion& question) {
    const tensor::ThreadCountScope threads(model.threads());
    return model.withAnalyzer(choice, false, [&](detection::Analyzer& analyzer) {
        return detection::analyzeRecording(file, analyzer, model.rate(), question,
                                           [&](double done, std::optional<double> total) {
                                               choice.report(shareOf(done, total));
                                               return true;
                                           });
    });
}

std::size_t framesOfASecond(double rate) { return static_cast<std::size_t>(std::lround(rate)); }

// Calls work(first, count) for each second of the samples, and reports. before, of: the share that was done,
// and of how many parts this is one.
template <typename Work>
void eachSecond(const Samples& samples, double rate, const Choice& choice, double before, double of,
                const Work& work) {
    const std::size_t second = framesOfASecond(rate);
    for (std::size_t first = 0; first < samples.frames; first += second) {
        const std::size_t count = std::min(second, samples.frames - first);
        work(first, count);
        choice.report((before + static_cast<double>(first + count) / static_cast<double>(samples.frames)) /
                      of);
    }
}

detection::RecordingResult analyze(const Samples& samples, double rate,
                                   const std::shared_ptr<const OpenModel>& model, const Choice& choice,
                                   const detection::RecordingQuestion& question) {
    const bool each = choice.channel == EARSHOT_CHANNEL_EACH;
    const int parts = each ? static_cast<int>(samples.channels) : 1;
    detection::RecordingResult all;
    for (int part = 0; part < parts; ++part) {
        SampleAnalysis analysis(model, choice, false, rate, samples.channels,
                                each ? part + 1 : choice.channel, question);
        eachSecond(samples, rate, choice, part, parts,
                   [&](std::size_t first, std::size_t count) { analysis.push(samples, first, count); });
        auto result = analysis.finish();
        if (!each) return result;
        detection::addChannel(all, std::move(result));
    }
    return all;
}

void requireCapacity(const OpenModel& model, const float* out, std::size_t capacity) {
    requireSet(out, "out");
    require(capacity >= model.embeddingSize(), "capacity: is less than earshot_model_embedding_size()");
}

Choice chosenForEmbedding(const earshot_analysis* given, const detection::ListeningModel& model) {
    auto choice = chosen(given, model);
    require(choice.channel != EARSHOT_CHANNEL_EACH,
            "channel: one vector is made, of the mix or of one channel");
    return choice;
}

// Fills `out` with the mean of the vectors that push(embedder) makes.
template <typename Push>
void embed(const OpenModel& model, float* out, const Push& push) {
    const tensor::ThreadCountScope threads(model.threads());
    auto embedder = model.takeEmbedder();
    detection::MeanEmbedding mean;
    embedder->setReceiver([&](const detection::WindowEmbedding& window) { mean.add(window); });
    push(*embedder);
    embedder->finish();
    model.giveBack(std::move(embedder));
    const auto vector = mean.mean(detection::hasUnitLength(*model.model().weights, model.embedding()));
    require(!vector.empty(), "the audio is too short: not one sample is left at the model's rate");
    std::copy(vector.begin(), vector.end(), out);
}

} // namespace

earshot_status earshot_analyze_file(const earshot_model* model, const char* path,
                                    const earshot_analysis* analysis, earshot_result** result) {
    if (result != nullptr) *result = nullptr;
    return attempt([=] {
        const auto& open = opened(model);
        requireSet(result, "result");
        const auto choice = chosen(analysis, open.model());
        const auto name = pathOf(path);
        audio::AudioFile file(name, Pipes::refused, {.channel = choice.channel});
        auto made = std::make_unique<earshot_result>();
        made->classes = open.classes();
        const Question question(choice, *made);
        const auto found = analyze(file, open, choice, question.asked);
        fill(*made, found, displayName(name));
        const auto failure = found.summary.failure;
        if (!failure || made->seconds > 0.0) *result = made.release();
        if (failure) throw Failure(EARSHOT_FILE_ERROR, *failure);
    });
}

earshot_status earshot_analyze_samples(const earshot_model* model, const earshot_audio* audio,
                                       const earshot_analysis* analysis, earshot_result** result) {
    if (result != nullptr) *result = nullptr;
    return attempt([=] {
        const auto& open = opened(model);
        requireSet(result, "result");
        const auto samples = checkedSamples(audio);
        const auto choice = chosen(analysis, open.model());
        auto made = std::make_unique<earshot_result>();
        made->classes = open.classes();
        const Question question(choice, *made);
        fill(*made, analyze(samples, audio->rate, model->open, choice, question.asked), "audio");
        *result = made.release();
    });
}

earshot_status earshot_embed_file(const earshot_model* model, const char* path,
                                  const earshot_analysis* analysis, float* out, size_t capacity) {
    return attempt([=] {
        const auto& open = opened(model);
        requireCapacity(open, out, capacity);
        const auto choice = chosenForEmbedding(analysis, open.model());
        audio::AudioFile file(pathOf(path), Pipes::refused, {.channel = choice.channel});
        detection::BlockReader reader(file, open.rate());
        embed(open, out, [&](detection::Embedder& embedder) {
            while (reader.next()) {
                embedder.push(reader.block());
                choice.report(shareOf(reader.summary().seconds, reader.length()));
            }
            if (reader.summary().failure) throw Failure(EARSHOT_FILE_ERROR, *reader.summary().failure);
        });
    });
}

earshot_status earshot_embed_samples(const earshot_model* model, const earshot_audio* audio,
                                     const earshot_analysis* analysis, float* out, size_t capacity) {
    return attempt([=] {
        const auto& open = opened(model);
        requireCapacity(open, out, capacity);
        const auto choice = chosenForEmbedding(analysis, open.model());
        const auto samples = checkedSamples(audio);
        SampleFeed feed(audio->rate, samples.channels, choice.channel, open.rate());
        std::vector<float> block;
        embed(open, out, [&](detection::Embedder& embedder) {
            eachSecond(samples, audio->rate, choice, 0.0, 1.0, [&](std::size_t first, std::size_t count) {
                feed.push(samples, first, count, block);
                embedder.push(block);
                block.clear();
            });
            feed.finish(block);
            embedder.push(block);
        });
    });
}
