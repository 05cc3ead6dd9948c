#include "Core/Teaching/LessonClips.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/Unicode.h"
#include "Core/Model/ModelLocator.h"
#include "Core/Teaching/LongRecordings.h"
#include "Core/Training/Data/DataSetReaders.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <utility>

namespace earshot::teaching {

namespace {

using training::Clip;
using training::DataSet;
using training::Split;

std::set<std::string> wordsOf(const std::string& name) {
    std::set<std::string> words;
    std::string word;
    for (const char c : training::lowerCase(name) + ' ') {
        const bool isLetter =
            static_cast<unsigned char>(c) > 127 || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (isLetter) word += c;
        if (isLetter || word.empty()) continue;
        words.insert(word);
        word.clear();
    }
    return words;
}

// Whether all words of an other sound's name are words of a new sound's.
bool mayBe(const std::string& other, const std::string& sound) {
    const auto words = wordsOf(other);
    return !words.empty() && std::ranges::includes(wordsOf(sound), words);
}

// Adds the other sounds to the examples, all with one label behind those of the new sounds.
void addOthers(DataSet& data, const std::filesystem::path& table) {
    training::DataChoice choice;
    choice.sources = {table};
    choice.minClips = 1;
    const DataSet others = training::readDataSet(choice);
    const auto names = data.labels;
    const auto label = static_cast<int>(data.labels.size());
    data.labels.emplace_back("others");
    for (Clip clip : others.clips) {
        const bool isSound = clip.kind == training::ClipKind::sound;
        const auto same = [&](int index) {
            return std::ranges::any_of(names, [&](const std::string& name) {
                return mayBe(others.labels[static_cast<std::size_t>(index)], name);
            });
        };
        if (std::ranges::any_of(clip.labels, same)) continue;
        if (isSound) clip.labels = {label};
        clip.group = groupOfOthers + clip.group;
        clip.split = Split::train;
        data.clips.push_back(std::move(clip));
    }
}

// Of the file; 0 if it cannot be read, which decoding lists.
double secondsOf(const Clip& clip) {
    try {
        const audio::AudioFile file(clip.file, Pipes::refused, clip.reading);
        return static_cast<double>(file.frames()) / file.sampleRate();
    } catch (const Error&) {
        logCaught("reading a clip's length");
        return 0.0;
    }
}

// Of what is decoded.
double decodedSeconds(const Clip& clip) {
    constexpr double maxClip = 600.0; // of which more is used (training::ClipStore)
    return std::min(clip.end ? *clip.end - clip.begin : secondsOf(clip), maxClip);
}

// Long recordings with times become the stretches around what is labelled.
void cutLongRecordings(DataSet& data) {
    std::vector<Clip> clips;
    for (Clip& clip : data.clips) {
        const bool hasTimes = clip.kind == training::ClipKind::sound && clip.strong && !clip.spans.empty();
        if (!hasTimes) {
            clips.push_back(std::move(clip));
            continue;
        }
        auto stretches = stretchesOf(clip, secondsOf(clip), data.problems);
        std::ranges::move(stretches, std::back_inserter(clips));
        if (!stretches.empty()) continue;
        data.problems.push_back({displayName(clip.file), "ends before all that is labelled in it"});
        clip.split = Split::unused; // so that messages name the file
        clips.push_back(std::move(clip));
    }
    data.clips = std::move(clips);
}

// What clips take: labelled seconds of one sound, and memory.
struct ClipSeconds {
    double labelled = 0.0, decoded = 0.0;
};

// Those clips, by their indices, that are used for one sound: of each group the newest, then the next ones,
// until there is no room.
std::vector<std::size_t> fitting(const std::vector<std::size_t>& clips, const DataSet& data,
                                 const std::vector<ClipSeconds>& seconds) {
    std::map<std::string, std::vector<std::size_t>> groups; // the newest last, as in a collection
    for (const std::size_t index : clips) groups[data.clips[index].group].push_back(index);
    std::vector<std::size_t> used;
    double labelled = 0.0, decoded = 0.0;
    for (bool any = true; any;) {
        any = false;
        for (auto& [name, left] : groups) {
            if (left.empty()) continue;
            any = true;
            const std::size_t index = left.back();
            left.pop_back();
            if (labelled + seconds[index].labelled > 60.0 * maxMinutes ||
                decoded + seconds[index].decoded > 60.0 * maxDecodedMinutes)
                continue;
            labelled += seconds[index].labelled;
            decoded += seconds[index].decoded;
            used.push_back(index);
        }
    }
    return used;
}

// Leaves out what is too much of a sound, or of what is no sound. A clip of two sounds stays if one of
// them needs it.
std::vector<std::string> limitClips(DataSet& data) {
    const std::size_t sounds = data.labels.size();
    std::vector<std::string> limits;
    std::vector<ClipSeconds> seconds(data.clips.size());
    std::vector<std::vector<std::size_t>> clips(sounds + 1); // of each sound, then those of none
    for (std::size_t i = 0; i < data.clips.size(); ++i) {
        const Clip& clip = data.clips[i];
        if (clip.kind != training::ClipKind::sound || clip.split == Split::unused) continue;
        seconds[i].decoded = decodedSeconds(clip);
        for (const int label : clip.labels) clips[static_cast<std::size_t>(label)].push_back(i);
        if (clip.labels.empty()) clips.back().push_back(i);
    }
    std::set<std::size_t> tooMany, needed;
    for (std::size_t sound = 0; sound <= sounds; ++sound) {
        for (const std::size_t index : clips[sound])
            seconds[index].labelled =
                labelledSeconds(data.clips[index], static_cast<int>(sound), seconds[index].decoded);
        const auto used = fitting(clips[sound], data, seconds);
        needed.insert(used.begin(), used.end());
        if (used.size() == clips[sound].size()) continue;
        tooMany.insert(clips[sound].begin(), clips[sound].end());
        const auto minutes = [&](const std::vector<std::size_t>& indices) {
            double sum = 0.0;
            for (const std::size_t index : indices) sum += seconds[index].labelled;
            return sum / 60.0;
        };
        limits.push_back(fmt::format("{}: {:.1f} of {:.1f} minutes of examples were used",
                                     sound < sounds ? printable(data.labels[sound])
                                                    : std::string("Sounds that are none of them"),
                                     minutes(used), minutes(clips[sound])));
    }
    for (const std::size_t index : tooMany)
        if (!needed.contains(index)) data.clips[index].split = Split::unused;
    return limits;
}

} // namespace

std::optional<std::filesystem::path> otherSounds() {
    std::error_code failure;
    for (const auto& folder : model::modelFolders())
        if (auto table = folder / "others" / "others.csv"; std::filesystem::exists(table, failure))
            return table;
    return std::nullopt;
}

LessonClips chooseClips(DataSet examples, const std::filesystem::path& others) {
    LessonClips chosen;
    chosen.data = std::move(examples);
    for (Clip& clip : chosen.data.clips) clip.split = Split::train;
    cutLongRecordings(chosen.data);
    chosen.limits = limitClips(chosen.data);
    const auto table = others.empty() ? otherSounds().value_or("") : others;
    if (!table.empty()) addOthers(chosen.data, table);
    return chosen;
}

} // namespace earshot::teaching
