#include "Core/Training/Data/DataSet.h"

#include "Core/Base/Error.h"
#include "Core/Base/Unicode.h"
#include "Core/Training/Data/DataSetReaders.h"
#include "Core/Training/Data/DataSetSplits.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace earshot::training {

namespace {

constexpr std::size_t labelsInMessage = 12;

bool contains(const std::vector<std::string>& names, const std::string& label) {
    return std::ranges::any_of(
        names, [&](const auto& name) { return lowerCase(printable(trimmed(name))) == lowerCase(label); });
}

std::vector<FoundClip> readSources(const DataChoice& choice, std::vector<Problem>& problems) {
    if (choice.sources.empty())
        throw Error("no data was given; name a folder of class-named folders, or a table of file,label");
    const TableChoice table = {.labelColumn = choice.labelColumn, .keepsMoments = choice.keepsMoments};
    std::vector<FoundClip> found;
    for (const auto& source : choice.sources) {
        std::error_code why;
        const auto type = std::filesystem::status(source, why).type();
        if (type == std::filesystem::file_type::not_found)
            throw Error(displayName(source) + ": there is no such folder or table; check the name");
        if (type == std::filesystem::file_type::none)
            throw Error(fmt::format("{}: cannot be read ({}); check its permissions", displayName(source),
                                    why.message()));
        if (type == std::filesystem::file_type::directory)
            readClassFolders(source, found, problems, table);
        else
            readClipTable(RecordingFinder(source), found, problems, table);
    }
    return found;
}

// Whatever the case of the letters.
void dropLicences(std::vector<FoundClip>& found, const std::vector<std::string>& unwanted) {
    std::erase_if(found, [&](const FoundClip& clip) {
        const std::string licence = lowerCase(clip.licence);
        return std::ranges::any_of(
            unwanted, [&](const auto& text) { return licence.find(lowerCase(text)) != std::string::npos; });
    });
}

std::string pathKey(const std::filesystem::path& file) {
    std::error_code why;
    const auto canonical = std::filesystem::weakly_canonical(file, why);
    return (why ? file.lexically_normal() : canonical).string();
}

// A file in two sources, or twice in one, would be in two groups.
void dropRepeated(std::vector<FoundClip>& found, std::vector<Problem>& problems) {
    std::set<std::string> seen;
    std::erase_if(found, [&](const FoundClip& clip) {
        if (seen.insert(pathKey(clip.file)).second) return false;
        problems.push_back({clip.where, "is in the data twice; the first counts"});
        return true;
    });
}

template <typename Change>
void forEachLabel(std::vector<FoundClip>& found, Change&& change) {
    for (auto& clip : found) {
        for (auto& label : clip.labels) change(label, clip);
        for (auto& span : clip.spans) change(span.label, clip);
    }
}

// Labels are cut where they are read (parseLabels()).
void tellCutLabels(std::vector<FoundClip>& found, std::vector<Problem>& problems) {
    constexpr std::size_t longest = 190; // bytes; longer ones that end in dots may have been cut
    std::set<std::string> listed;
    forEachLabel(found, [&](const std::string& label, const FoundClip& clip) {
        if (label.size() > longest && label.ends_with("...") && listed.insert(label).second)
            problems.push_back({clip.where,
                                fmt::format("its label is too long and was cut to \"{}\"; shorten it, or all "
                                            "labels that begin so are one class",
                                            label),
                                false});
    });
}

// "dog" and "Dog" are one class, spelled as it came first.
void uniteSpellings(std::vector<FoundClip>& found, std::vector<Problem>& problems) {
    std::map<std::string, std::string> spelling; // by lower case
    std::set<std::string> listed;
    forEachLabel(found, [&](std::string& label, const FoundClip& clip) {
        const auto& first = spelling.emplace(lowerCase(label), label).first->second;
        if (first == label) return;
        if (listed.insert(label).second)
            problems.push_back({clip.where,
                                fmt::format("\"{}\" is taken for \"{}\", as others spell it",
                                            printable(label), printable(first)),
                                false});
        label = first;
    });
}

std::set<std::string> labelsOf(std::vector<FoundClip>& found) {
    std::set<std::string> labels;
    forEachLabel(found, [&](const std::string& label, const FoundClip&) { labels.insert(label); });
    return labels;
}

void requireKnown(const std::vector<std::string>& asked, const std::set<std::string>& labels) {
    for (const auto& name : asked) {
        if (std::ranges::any_of(labels, [&](const auto& label) { return contains({name}, label); })) continue;
        std::string known;
        for (auto label = labels.begin(); label != labels.end(); ++label) {
            const auto index = static_cast<std::size_t>(std::distance(labels.begin(), label));
            if (index == labelsInMessage) break;
            known += (index == 0 ? "" : ", ") + printable(*label);
        }
        if (labels.size() > labelsInMessage) known += ", ...";
        throw Error(fmt::format("the data has no class \"{}\"; its classes are: {}", printable(name), known));
    }
}

// Keeps the labels to learn. Clips with other labels only become sounds of no class, or are dropped. A clip
// without times that holds both is not used: it would seem to hold the sounds to learn alone.
void chooseLabels(std::vector<FoundClip>& found, const DataChoice& choice, std::vector<Problem>& problems) {
    const auto isDistractor = [&](const std::string& label) { return contains(choice.distractors, label); };
    const auto isUnwanted = [&](const std::string& label) {
        return isDistractor(label) || (!choice.only.empty() && !contains(choice.only, label));
    };
    std::erase_if(found, [&](FoundClip& clip) {
        if (clip.labels.empty()) return false;
        const bool stays = std::ranges::any_of(clip.labels, isDistractor);
        const auto other = std::ranges::find_if(clip.labels, isUnwanted);
        const std::string unwanted = other == clip.labels.end() ? std::string() : printable(*other);
        std::erase_if(clip.labels, isUnwanted);
        std::erase_if(clip.spans, [&](const NamedSpan& span) { return isUnwanted(span.label); });
        if (clip.split != Split::unused && !clip.strong && !clip.labels.empty() && !unwanted.empty()) {
            clip.split = Split::unused;
            problems.push_back(
                {clip.where, fmt::format("holds {} and {}, which is not to be learnt, and does "
                                         "not say when; it is left out, give the times of "
                                         "its sounds (onset, offset) to use it",
                                         printable(clip.labels.front()), unwanted)});
        }
        return clip.labels.empty() && !stays;
    });
}

// Whether other trainers take a label of this name for what is not to be reported: BirdNET-Analyzer's
// Background, Noise, Silence, Other and -Name, Teachable Machine's "Background Noise", Edge Impulse's
// unknown, Speech Commands' _silence_.
bool seemsNegative(std::string_view label) {
    static const std::set<std::string> names = {
        "ambience",    "ambient",         "ambientnoise",     "ambientsound", "background", "backgroundnoise",
        "backgrounds", "backgroundsound", "backgroundsounds", "empty",        "misc",       "negative",
        "negatives",   "nocall",          "noevent",          "noise",        "noises",     "nonevent",
        "none",        "nosound",         "nothing",          "other",        "others",     "othersounds",
        "silence",     "silent",          "unknown"};
    const std::string lower = lowerCase(label);
    std::string letters;
    std::ranges::copy_if(lower, std::back_inserter(letters), [](char c) {
        return static_cast<unsigned char>(c) > 127 || (c >= 'a' && c <= 'z');
    });
    const auto begins = [&](std::string_view start) { return lower.starts_with(start); };
    return (begins("-") && label.size() > 1) || begins("_") || begins("not ") || begins("not_") ||
           begins("non-") || begins("no_") || names.contains(letters);
}

void noteNegatives(std::vector<FoundClip>& found, std::vector<Problem>& problems) {
    std::set<std::string> listed;
    forEachLabel(found, [&](const std::string& label, const FoundClip& clip) {
        if (!seemsNegative(label) || !listed.insert(label).second) return;
        problems.push_back(
            {clip.where,
             fmt::format("\"{}\" is learnt as a sound and will be reported; if it is what is not to "
                         "be reported, name its folder _background (the background of sounds) "
                         "or _other (sounds of no class), or leave the label in a table empty",
                         printable(label)),
             false});
    });
}

// Clips that lie in the folder itself may be those of one class.
std::string adviceFor(const std::filesystem::path& source, const std::vector<Problem>& problems) {
    const bool astray = std::ranges::any_of(problems, [&](const Problem& problem) {
        return problem.where == displayName(source) &&
               problem.what.find("in no class's folder") != std::string::npos;
    });
    const auto folder = std::filesystem::absolute(source).lexically_normal();
    const auto own = folder.has_filename() ? folder : folder.parent_path();
    if (!astray || !own.has_parent_path() || !own.has_filename()) return {};
    return fmt::format("; if its clips are all \"{}\", name the folder above: {}",
                       displayName(own.filename()), displayName(own.parent_path()));
}

// Why there is nothing to learn, with the rows and files that were left out.
[[noreturn]] void refuseEmpty(const DataChoice& choice, const std::vector<Problem>& problems) {
    constexpr std::size_t maxReasons = 8;
    const auto& source = choice.sources.front();
    std::string text = displayName(source) + ": no labelled recordings were found";
    std::size_t count = 0;
    for (const Problem& problem : problems) {
        if (count < maxReasons)
            text += fmt::format("{} {}: {}", count == 0 ? ":" : ";", problem.where, problem.what);
        ++count;
    }
    if (count > maxReasons) text += fmt::format("; and {} more", count - maxReasons);
    if (count == 0) text += "; every class is a folder of audio files, or a label in a table of file,label";
    throw Error(text + adviceFor(source, problems));
}

bool isSilent(const FoundClip& clip) {
    return clip.strong && clip.labels.empty() && clip.kind == ClipKind::sound;
}

int indexOf(const std::vector<std::string>& labels, const std::string& label) {
    return static_cast<int>(std::ranges::lower_bound(labels, label) - labels.begin());
}

Clip numbered(FoundClip&& found, const std::vector<std::string>& labels) {
    Clip clip;
    clip.kind = found.kind;
    for (const auto& label : found.labels) clip.labels.push_back(indexOf(labels, label));
    std::ranges::sort(clip.labels);
    for (const auto& span : found.spans)
        clip.spans.push_back({span.onset, span.offset, indexOf(labels, span.label)});
    std::ranges::stable_sort(clip.spans, {}, &LabelledSpan::onset);
    clip.group = std::move(found.group);
    clip.file = std::move(found.file);
    clip.strong = found.strong;
    clip.split = found.split.value_or(Split::train);
    clip.licence = std::move(found.licence);
    clip.author = std::move(found.author);
    clip.source = std::move(found.source);
    return clip;
}

void requireClips(const DataSet& data, const std::vector<bool>& decided, int fewest) {
    std::vector<int> counts(data.labels.size(), 0);
    for (std::size_t i = 0; i < data.clips.size(); ++i) {
        const Clip& clip = data.clips[i];
        const bool counted = clip.split == Split::train || (clip.split == Split::valid && !decided[i]);
        if (!counted) continue;
        for (const int label : clip.labels) ++counts[static_cast<std::size_t>(label)];
    }
    std::string few;
    for (std::size_t label = 0; label < counts.size(); ++label)
        if (counts[label] < fewest)
            few += fmt::format("{}: {} clip{} to learn from, at least {} are needed; ",
                               printable(data.labels[label]), counts[label], counts[label] == 1 ? "" : "s",
                               fewest);
    if (few.empty()) return;
    few += "add some, or leave the class out";
    if (!data.problems.empty())
        few += fmt::format(" (a problem of the data: {}: {})", data.problems.back().where,
                           data.problems.back().what);
    throw Error(few);
}

} // namespace

std::string Problem::line() const { return (leftOut ? "left out: " : "note: ") + where + ": " + what; }

DataSet readDataSet(const DataChoice& choice) {
    DataSet data;
    auto found = readSources(choice, data.problems);
    for (const FoundClip& clip : found) data.files.push_back(clip.file);
    dropLicences(found, choice.withoutLicences);
    dropRepeated(found, data.problems);
    tellCutLabels(found, data.problems);
    uniteSpellings(found, data.problems);
    const auto present = labelsOf(found);
    const bool silent = choice.minClips == 0 && std::ranges::any_of(found, isSilent);
    if (present.empty() && !silent) refuseEmpty(choice, data.problems);
    requireKnown(choice.only, present);
    requireKnown(choice.distractors, present);
    chooseLabels(found, choice, data.problems);
    if (choice.minClips > 0) noteNegatives(found, data.problems); // it is learnt from
    const auto wanted = labelsOf(found);
    if (wanted.empty() && !present.empty())
        throw Error("every class of the data is left out; choose at least one to learn");
    data.labels.assign(wanted.begin(), wanted.end());

    std::vector<bool> decided;
    for (auto& clip : found) {
        decided.push_back(clip.split.has_value());
        data.clips.push_back(numbered(std::move(clip), data.labels));
        data.clips.back().reading = choice.reading;
    }
    assignSplits(data.clips, decided, static_cast<int>(data.labels.size()),
                 {.validShare = choice.validShare, .seed = choice.seed}, data.problems);
    requireClips(data, decided, choice.minClips);
    return data;
}

} // namespace earshot::training
