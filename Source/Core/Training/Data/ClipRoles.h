// The ways in which training can use a clip. Pure functions: any thread.
#pragma once

#include "Core/Training/Data/ClipStore.h"
#include "Core/Training/Data/Example.h"

#include <algorithm>

namespace earshot::training {

// The class that a clip of at most one has, or noLabel, teacherOnly.
inline int labelOf(const Clip& clip) {
    if (clip.kind == ClipKind::unlabelled) return teacherOnly;
    return clip.labels.empty() ? noLabel : clip.labels.front();
}

// For scenes (SceneMixer): clips with sounds of exactly one class, or of none.
inline bool canBeMixed(const StoredClip& stored) {
    const bool isSound = stored.clip->kind == ClipKind::sound || stored.clip->kind == ClipKind::unlabelled;
    return isSound && stored.clip->labels.size() <= 1 && !stored.activity.empty();
}

// Unchanged (RecordingSource): recordings with labels in time, or with several classes.
inline bool isRecording(const StoredClip& stored) {
    if (stored.clip->kind != ClipKind::sound) return false;
    return stored.clip->strong ? !stored.clip->spans.empty() : stored.clip->labels.size() > 1;
}

// Whether a SceneMixer of that split has clips to mix.
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
