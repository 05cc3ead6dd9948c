#include "Core/Training/Run/RunNotes.h"

#include "Core/Base/Error.h"
#include "Core/Base/Printable.h"
#include "Core/Model/Reading/Checkpoint.h"

#include <nlohmann/json.hpp>

namespace earshot::training {

namespace {

constexpr const char* notesKey = "earshot.training.run";
constexpr const char* logKey = "earshot.training.log";

} // namespace

std::map<std::string, std::string> RunNotes::asMetadata() const {
    const nlohmann::json object = {{"epochs", epochs},        {"fingerprint", fingerprint},
                                   {"best_score", bestScore}, {"best_epoch", bestEpoch},
                                   {"seconds", seconds},      {"loss_sum", lossSum},
                                   {"loss_steps", lossSteps}};
    return {{notesKey, object.dump()}, {logKey, logAsCsv(log)}};
}

RunNotes RunNotes::read(const std::filesystem::path& file) {
    const auto checkpoint = model::Checkpoint::open(file);
    const auto& metadata = checkpoint->metadata();
    try {
        const auto object = nlohmann::json::parse(metadata.at(notesKey));
        RunNotes notes;
        notes.log = logFromCsv(metadata.at(logKey));
        notes.epochs = object.at("epochs").get<int>();
        notes.fingerprint = object.at("fingerprint").get<std::string>();
        notes.bestScore = object.at("best_score").get<double>();
        notes.bestEpoch = object.at("best_epoch").get<int>();
        notes.seconds = object.at("seconds").get<double>();
        notes.lossSum = object.at("loss_sum").get<double>();
        notes.lossSteps = object.at("loss_steps").get<std::int64_t>();
        return notes;
    } catch (const std::exception&) { // nlohmann's, or a key that is missing
        throw Error(displayName(file) +
                    ": is no file of a stopped training, or damaged; train again without --resume");
    }
}

} // namespace earshot::training
