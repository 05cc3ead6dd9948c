#include "Cli/EmbedTexts.h"

#include "Cli/ExitCode.h"
#include "Cli/Opening.h"
#include "Cli/Output/OutputStream.h"
#include "Cli/Output/Terminal.h"
#include "Cli/QueryOptions.h"
#include "Cli/Signals.h"
#include "Core/Base/Error.h"
#include "Core/Base/OutputCheck.h"
#include "Core/Base/RegularFile.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Formats/Npy.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Tensor/Threads.h"
#include "Core/Text/TextEncoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

namespace earshot::cli {

namespace {

constexpr std::uint64_t maxBytes = std::uint64_t{1} << 26; // of the file of texts
constexpr std::size_t textsAtOnce = 64;                    // between two looks at Ctrl-C

std::vector<std::string> readTexts(const std::filesystem::path& file) {
    auto texts = readTextLines(file, maxBytes, "file of texts, one a line");
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (texts[i].empty())
            throw Error(fmt::format("{}: line {} is empty; write one text a line", displayName(file), i + 1));
    if (texts.empty()) throw Error(fmt::format("{}: is empty; write one text a line", displayName(file)));
    return texts;
}

} // namespace

int embedTexts(const TextsToEmbed& options) {
    const auto model = locateModel(options.model);
    OutputCheck files;
    files.writes(options.output);
    addModel(files, model.file);
    files.reads(options.texts, "the file of texts");
    requireSafe(files, options.overwrite);

    const auto texts = readTexts(options.texts);
    const auto checkpoint = model::Checkpoint::open(model);
    notePrecision(options.precision, options.quiet);
    text::TextEncoder encoder(*checkpoint, options.precision);
    tensor::setThreadCount(options.threads);
    WholeFile file(options.output, WholeFile::MissingFolders::made);
    formats::NpyWriter writer(file, formats::NpyType::float32, {encoder.half().dimensions});
    ProgressLine progress(!options.quiet);
    for (std::size_t done = 0; done < texts.size(); done += textsAtOnce) {
        progress.show("texts", done, texts.size());
        const auto count = std::min(textsAtOnce, texts.size() - done);
        writer.write(encoder.embed(std::span(texts).subspan(done, count)).values());
        if (interrupted()) return interruption;
    }
    writer.finish();
    file.commit();
    progress.clear();
    noteCutTexts(encoder.cutTexts(), options.quiet);
    return success;
}

} // namespace earshot::cli
