#include "Core/Training/Run/KeptModel.h"

#include "Core/Base/Error.h"
#include "Core/Base/Platform/Files.h"
#include "Core/Base/Sha256.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"
#include "Core/Model/Reading/Checkpoint.h"
#include "Core/Training/Network/TrainerCheckpoint.h"

#include <fmt/format.h>

#include <cerrno>

namespace earshot::training {

namespace {

constexpr const char* runNote = "earshot.run"; // "KEY EPOCH"

std::string noteText(const std::string& key, int epoch) { return fmt::format("{} {}", key, epoch); }

bool isOfLaterEpoch(const model::Checkpoint& model, const std::string& key, int first, int last) {
    const auto note = model.metadata().find(runNote);
    if (note == model.metadata().end()) return false;
    for (int epoch = first; epoch <= last; ++epoch)
        if (note->second == noteText(key, epoch)) return true;
    return false;
}

} // namespace

std::string runKey(const RunNotes& notes, const TrainerSettings& settings) {
    const auto all =
        fmt::format("{}\n{}\n{}\n{}", notes.fingerprint, notes.options, notes.epochs, settingsText(settings));
    return fmt::format("{:016x}", fnv1a(all));
}

void noteRun(const RunNotes& notes, const TrainerSettings& settings,
             std::map<std::string, std::string>& metadata) {
    metadata[runNote] = noteText(runKey(notes, settings), notes.bestEpoch);
}

std::string weightsDigest(const std::filesystem::path& model) {
    const auto checkpoint = model::Checkpoint::open(model);
    std::string digests;
    for (const auto& item : checkpoint->tensors()) {
        const auto values = checkpoint->read(item.first);
        digests += item.first + sha256({reinterpret_cast<const char*>(values.data()), values.bytes()});
    }
    return sha256(digests);
}

void removeOutcome(const RunFiles& files, bool hasState) {
    const auto remove = [](const std::filesystem::path& file) {
        if (!platform::remove(file) && errno != ENOENT) failToWrite(file, errno);
    };
    if (!hasState) remove(files.checkpoint);
    for (const auto& file : {files.card, files.curves, files.log}) remove(file);
}

void requireKeptModel(const RunFiles& files, const RunNotes& notes, const TrainerSettings& settings,
                      int epochsDone) {
    if (notes.modelDigest.empty()) return; // nothing is stored yet, or an earlier version noted nothing
    const auto fail = [&](const std::string& found) {
        throw Error(fmt::format("{}: expected the model of epoch {} of the training in {}, found {}; put "
                                "that model back, or train again with --overwrite",
                                displayName(files.model), notes.bestEpoch, displayName(files.checkpoint),
                                found));
    };
    std::error_code unknown;
    if (!std::filesystem::exists(files.model, unknown)) fail("none");
    const auto checkpoint = model::Checkpoint::open(files.model);
    const auto key = runKey(notes, settings);
    if (isOfLaterEpoch(*checkpoint, key, epochsDone + 1, notes.epochs)) return;
    if (weightsDigest(files.model) != notes.modelDigest) fail("another, of a training that began since");
}

} // namespace earshot::training
