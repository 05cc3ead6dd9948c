// The networks of a checkpoint. Trainings store several copies of one: as the optimiser left it, averaged
// over the steps (EMA: timm's model_ema and state_dict_ema, ema.module, swa_model; Lightning's
// WeightAveraging keeps the average in state_dict and the other in current_model_state), and as the teacher
// of a student (sed_teacher and sed_student of DCASE's baselines). Pure functions: any thread.
#pragma once

#include "Core/Model/ModelSource.h"
#include "Core/Model/Reading/Checkpoint.h"

#include <string>
#include <string_view>
#include <vector>

namespace earshot::model {

// The kinds of models, as CheckpointLayout and Weights name them.
inline constexpr const char* htsatKind = "HTS-AT";
inline constexpr const char* microsoftKind = "Microsoft CLAP";
inline constexpr const char* laionKind = "LAION-CLAP";

struct FoundNetwork {
    std::string prefix; // "", "sed_model.", "audio_encoder.base.htsat.", "model_ema." ...
    std::string name;   // for users, with the dictionary that it was in: "state_dict.sed_model", "model_ema"
    const char* kind = htsatKind;
    WeightsKind weights = WeightsKind::raw;
    // Its name leaves no doubt: an EMA, or the teacher beside a student of the same shapes.
    bool averaged = false;

    std::string shownName() const; // printable, and never empty
};

struct FoundNetworks {
    std::vector<FoundNetwork> all; // raw, averaged, teachers; each in the order of prefixes
    std::size_t used = 0;

    const FoundNetwork& network() const { return all[used]; }
    // "2 networks, model (raw) and model_ema (ema)"
    std::string describe() const;
};

// What stands before "patch_embed.proj.weight" wherever a tensor is named so, in the order of names. Throws
// earshot::Error if there are more than 64.
std::vector<std::string> networkPrefixes(const Checkpoint& checkpoint);

// Chooses the network that the checkpoint's choice asks for; else an averaged one that has all tensors of the
// raw one; else the raw one. Of several, that of a published layout. Throws earshot::Error if there is no
// network, none that was asked for, or one in a layout that is not read.
FoundNetworks findNetworks(const Checkpoint& checkpoint);

// Whether a name such as "model_ema" or "swa_model.module" is that of averaged weights.
bool namesAverage(std::string_view name);

} // namespace earshot::model
