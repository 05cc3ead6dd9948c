#include "Core/Batch/Continuous.h"

#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace earshot::batch {

namespace {

constexpr double tolerance = 1.0; // seconds; names of files state whole ones

bool isNumeral(char c) { return c >= '0' && c <= '9'; }

// The text without its dates and times.
std::string withoutTimes(std::string text) {
    while (const auto found = findWallTime(text)) text.erase(found->begin, found->end - found->begin);
    return text;
}

// Whether a folder is there for a day, a month or a year.
bool isDate(const std::string& name) {
    return !name.empty() && name.size() <= 10 && name.find_first_not_of("0123456789-_") == std::string::npos;
}

struct Numbered {
    std::string recorder;
    std::optional<std::int64_t> number;
};

// The name without its last number, and that number.
Numbered withoutNumber(const std::string& name) {
    auto end = name.size();
    while (end > 0 && !isNumeral(name[end - 1])) --end;
    auto begin = end;
    while (begin > 0 && isNumeral(name[begin - 1])) --begin;
    std::int64_t number = 0;
    const auto [rest, failure] = std::from_chars(name.data() + begin, name.data() + end, number);
    if (begin == end || failure != std::errc()) return {name, std::nullopt};
    return {name.substr(0, begin) + '#' + name.substr(end), number};
}

// What the files of a recorder have in common.
std::string recorderOf(Take& take) {
    const std::filesystem::path name(take.input.name);
    std::string folders;
    for (const auto& part : name.parent_path())
        if (!isDate(part.string())) folders += withoutTimes(part.string()) + '/';
    std::string file = withoutTimes(name.stem().string());
    // A recorder counts its files where it does not name them by time.
    if (file == name.stem().string()) {
        auto [recorder, number] = withoutNumber(file);
        file = std::move(recorder);
        if (!take.start) take.number = number;
    }
    return folders + file + name.extension().string();
}

// In UTC if the offset is known.
std::int64_t moment(const Take& take) {
    return take.shown ? take.shown->milliseconds - std::int64_t{take.shown->offset.value_or(0)} * 1000 : 0;
}

// In the time of its part.
template <typename Event>
Event moved(Event event, double shift) {
    event.onset = std::max(0.0, event.onset + shift);
    event.offset += shift;
    return event;
}

class Joiner {
  public:
    Joiner(std::span<const Take> takes,
           const std::function<std::unique_ptr<audio::AudioFile>(const Take&)>& open,
           const JoinedAnalysis& how)
        : takes_(takes)
        , open_(open)
        , how_(how) {}

    std::vector<TakeResult> run() {
        audio_ = open_(takes_.front());
        const int sampleRate = audio_->sampleRate(), channels = audio_->channels();
        const detection::Detector& detector = how_.detector;
        const auto question = detector.question(how_.nearMisses);
        detection::BlockReader reader(*audio_, detector.modelRate,
                                      [this](double seconds) { return next(seconds); });
        const auto whole = detection::analyzeRecording(
            reader, how_.analyzer, question, [&](double seconds, std::optional<double>) {
                const double within = seconds - before_;
                const auto frames = static_cast<double>(audio_->frames());
                return !how_.progress ||
                       how_.progress(at_, within,
                                     frames > 0.0 ? std::optional(frames / sampleRate) : std::nullopt);
            });
        return split(whole, reader.parts(), sampleRate, channels);
    }

  private:
    // The file that continues the one that ended after so many seconds; null if none does.
    audio::AudioFile* next(double seconds) {
        if (at_ + 1 >= takes_.size()) return nullptr;
        const Take &first = takes_[at_], &second = takes_[at_ + 1];
        const Seam seam = seamOf(first, skips_.back() + seconds, second);
        if (!seam.note.empty() && how_.note) how_.note(seam.note);
        if (!seam.joins || second.input.problem) return nullptr;
        auto following = openNext(second);
        if (!following || following->sampleRate() != audio_->sampleRate() ||
            following->channels() != audio_->channels())
            return nullptr;
        const double skipped = seam.skip * following->sampleRate();
        if (following->frames() > 0 && skipped >= static_cast<double>(following->frames())) return nullptr;
        if (seam.skip > 0.0) following->seek(std::llround(skipped));
        audio_ = std::move(following);
        before_ += seconds;
        skips_.push_back(seam.skip);
        ++at_;
        return audio_.get();
    }

    // Null if it cannot be opened: then it fails by itself.
    std::unique_ptr<audio::AudioFile> openNext(const Take& take) const {
        try {
            return open_(take);
        } catch (const Error&) {
            logCaught("opening a recording of a series");
            return nullptr;
        }
    }

    std::vector<TakeResult> split(const detection::RecordingResult& whole,
                                  const std::vector<detection::FileSummary>& parts, int sampleRate,
                                  int channels) const {
        std::vector<double> begins; // of the parts, in the whole
        std::vector<TakeResult> results;
        double begin = 0.0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            TakeResult each{.take = i,
                            .result = {},
                            .sampleRate = sampleRate,
                            .channels = channels,
                            .readFailed = i + 1 == parts.size() && audio_->readFailed(),
                            .start = takes_[i].start};
            each.result.summary = parts[i];
            each.result.summary.seconds += skips_[i];
            if (!each.start && i > 0 && results.back().start)
                each.start = later(*results.back().start, results.back().result.summary.seconds - skips_[i]);
            results.push_back(std::move(each));
            begins.push_back(begin);
            begin += parts[i].seconds;
        }
        results.front().result.summary.passedOver = whole.summary.passedOver; // of all parts
        const auto shift = [&](std::size_t part) { return skips_[part] - begins[part]; };
        for (const detection::Event& event : whole.found.events) {
            const auto part = partOf(event, begins);
            results[part].result.found.events.push_back(moved(event, shift(part)));
        }
        for (detection::NearMiss miss : whole.found.nearMisses) {
            const auto part = partOf(miss.event, begins);
            miss.event = moved(miss.event, shift(part));
            results[part].result.found.nearMisses.push_back(miss);
        }
        if (whole.nearest) {
            const double time = whole.nearest->time;
            const auto part = partOf({.onset = time, .offset = time}, begins);
            results[part].result.nearest = whole.nearest;
            results[part].result.nearest->time = time + shift(part);
        }
        return results;
    }

    // The part in which an event begins. One that begins less than a column before a seam and lasts beyond it
    // belongs behind it: no onset is more exact.
    std::size_t partOf(const detection::Event& event, const std::vector<double>& begins) const {
        const auto after = std::ranges::upper_bound(begins, event.onset) - begins.begin();
        const auto next = static_cast<std::size_t>(std::max<std::ptrdiff_t>(after, 1));
        const double column = how_.analyzer.timeline().secondsPerColumn();
        const bool isBehind = next < begins.size() && event.onset > begins[next] - column &&
                              event.offset - begins[next] > begins[next] - event.onset;
        return isBehind ? next : next - 1;
    }

    std::span<const Take> takes_;
    const std::function<std::unique_ptr<audio::AudioFile>(const Take&)>& open_;
    const JoinedAnalysis& how_;
    std::unique_ptr<audio::AudioFile> audio_;
    std::size_t at_ = 0;                // the take that is read
    double before_ = 0.0;               // seconds read of those before it
    std::vector<double> skips_ = {0.0}; // of each take so far
};

} // namespace

std::vector<std::vector<Take>> takesOf(const std::vector<Input>& inputs, const audio::Starts& starts) {
    std::map<std::string, std::size_t> known;
    std::vector<std::vector<Take>> recorders;
    for (const Input& input : inputs) {
        Take take{.input = input, .start = {}, .shown = {}, .number = {}};
        if (!input.isStandardInput() && !input.problem) take.start = audio::startOf(input.path);
        take.shown = starts.shown(take.start);
        const auto [at, isNew] = known.emplace(recorderOf(take), recorders.size());
        if (isNew) recorders.emplace_back();
        recorders[at->second].push_back(std::move(take));
    }
    for (auto& takes : recorders) {
        std::ranges::stable_sort(takes, {}, [](const Take& take) {
            return std::tuple(!take.start, moment(take), take.number.value_or(0));
        });
        if (!starts.stated) continue;
        // It is that of the first; the others follow as their own clocks say.
        const auto first = takes.front().shown;
        for (Take& take : takes) {
            if (take.shown && first) take.start = later(*starts.stated, secondsBetween(*first, *take.shown));
            if (&take == &takes.front()) take.start = starts.stated;
            take.shown = starts.shown(take.start);
        }
    }
    return recorders;
}

std::set<std::string>
withNeighbours(const std::vector<std::vector<Take>>& recorders, const std::set<std::string>& wanted,
               const std::function<std::optional<double>(const std::string& name)>& seconds) {
    std::set<std::string> all;
    for (const auto& takes : recorders)
        for (std::size_t begin = 0, end = 0; begin < takes.size(); begin = end) {
            bool isWanted = false;
            for (bool joins = true; joins; ++end) {
                const std::string& name = takes[end].input.name;
                isWanted = isWanted || wanted.contains(name);
                const auto length = wanted.contains(name) ? std::nullopt : seconds(name);
                joins =
                    end + 1 < takes.size() && (!length || seamOf(takes[end], *length, takes[end + 1]).joins);
            }
            for (std::size_t i = begin; isWanted && i < end; ++i) all.insert(takes[i].input.name);
        }
    return all;
}

Seam seamOf(const Take& first, double seconds, const Take& second) {
    if (!second.shown) {
        const bool counts = first.number && second.number && *second.number == *first.number + 1;
        return {.joins = counts, .skip = 0.0, .note = {}};
    }
    if (!first.shown) return {};
    const std::string one = displayName(first.input.path), other = displayName(second.input.path);
    // A recorder may have changed its clock or not, so that either reading may be the one that goes on.
    const double inUtc = secondsBetween(*first.shown, *second.shown) - seconds;
    const double onClock =
        static_cast<double>(second.shown->milliseconds - first.shown->milliseconds) / 1000.0 - seconds;
    const double gap = std::abs(onClock) < std::abs(inUtc) ? onClock : inUtc;
    if (std::abs(gap) < tolerance) return {.joins = true, .skip = 0.0, .note = {}};
    if (gap > 0.0)
        return {.joins = false,
                .skip = 0.0,
                .note = fmt::format("{}: begins {:.1f} s after {} ends; they are analysed apart", other, gap,
                                    one)};
    return {.joins = true,
            .skip = -gap,
            .note = fmt::format("{}: begins {:.1f} s before {} ends; these seconds are analysed once", other,
                                -gap, one)};
}

std::vector<TakeResult>
analyzeJoined(std::span<const Take> takes,
              const std::function<std::unique_ptr<audio::AudioFile>(const Take&)>& open,
              const JoinedAnalysis& how) {
    return Joiner(takes, open, how).run();
}

} // namespace earshot::batch
