// What a clip can be used for. Pure functions: any thread.
#pragma once

#include "Core/Training/Data/ClipStore.h"

#include <algorithm>

namespace earshot::training {

// In scenes (SceneMixer): sounds of exactly one class, or of none.
inline bool canBeMixed(const StoredClip& stored) {
    return stored.clip->labels.size() <= 1 && !stored.activity.empty();
}

// As it is (RecordingSource): recordings that say what sounds when, or in which several classes sound.
inline bool isRecording(const StoredClip& stored) {
    return stored.clip->strong ? !stored.clip->spans.empty() : stored.clip->labels.size() > 1;
}

// Whether a SceneMixer of that split has something to mix.
inline bool hasScenes(const ClipStore& store, Split split) {
    return std::ranges::any_of(store.clips(), [split](const StoredClip& stored) {
        return stored.clip->split == split && !stored.clip->labels.empty() && canBeMixed(stored);
    });
}

inline bool hasRecordings(const ClipStore& store, Split split) {
    return std::ranges::any_of(store.clips(), [split](const StoredClip& stored) {
        return stored.clip->split == split && isRecording(stored);
    });
}

} // namespace earshot::training
