// Whether a training's files belong together: its model, and the state from which it can go on. The model
// notes its run and its epoch (metadata `earshot.run`), and the state what the model's weights were. One
// thread at a time.
#pragma once

#include "Core/Training/Network/Learner.h"
#include "Core/Training/Run/ModelCard.h"
#include "Core/Training/Run/RunSettings.h"

#include <map>
#include <string>

namespace earshot::training {

// Equal for runs of the same data and options, which store the same models.
std::string runKey(const RunNotes& notes, const TrainerSettings& settings);

// Adds the note that the model is of notes.bestEpoch of this run.
void noteRun(const RunNotes& notes, const TrainerSettings& settings,
             std::map<std::string, std::string>& metadata);

// SHA-256 of all weights of a model file, whatever its metadata.
std::string weightsDigest(const std::filesystem::path& model);

// Before a run stores its first model: removes what an earlier training left beside it (card, log, curves),
// and its state unless `hasState`, so that nobody takes it for that of the new model. Throws WriteError.
void removeOutcome(const RunFiles& files, bool hasState);

// Throws earshot::Error unless the stored model is the one that the notes of the state are about, or that of
// a later epoch of the same run, which goes on to store it again. epochsDone: in the state.
void requireKeptModel(const RunFiles& files, const RunNotes& notes, const TrainerSettings& settings,
                      int epochsDone);

} // namespace earshot::training
