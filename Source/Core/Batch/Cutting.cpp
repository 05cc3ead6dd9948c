#include "Core/Batch/Cutting.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Audio/RecordingStart.h"
#include "Core/Audio/SoundWriter.h"
#include "Core/Base/Log.h"
#include "Core/Base/Unicode.h"
#include "Core/Base/WholeFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace earshot::batch {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t samplesAtOnce = 1 << 16; // of all channels

// The work was stopped within a clip.
struct CutStopped {};

struct Stretch {
    std::int64_t begin = 0, end = 0; // frames
};

// The chosen channels of a stretch of a recording, block by block.
class StretchReader {
  public:
    StretchReader(audio::AudioFile& file, int channel, Stretch stretch)
        : file_(file)
        , channel_(channel)
        , left_(stretch.end - stretch.begin)
        , block_(static_cast<std::size_t>(std::max<std::int64_t>(1, samplesAtOnce / file.channels()) *
                                          file.channels())) {
        file_.seek(stretch.begin);
    }

    // Empty at the end.
    std::span<const double> next() {
        const auto width = static_cast<std::size_t>(file_.channels());
        const auto most = static_cast<std::int64_t>(block_.size() / width);
        const auto wanted = static_cast<std::size_t>(std::min(most, left_)) * width;
        const auto frames = wanted == 0 ? 0 : file_.readStored(std::span(block_).first(wanted));
        left_ -= static_cast<std::int64_t>(frames);
        if (channel_ < 1) return std::span(block_).first(frames * width);
        for (std::size_t i = 0; i < frames; ++i)
            block_[i] = block_[i * width + static_cast<std::size_t>(channel_ - 1)];
        return std::span(block_).first(frames);
    }

  private:
    audio::AudioFile& file_;
    int channel_;
    std::int64_t left_; // frames
    std::vector<double> block_;
};

// As it is after it was stored in that form.
bool sameStored(double found, double wanted, audio::Samples samples) {
    if (samples == audio::Samples::float64 || samples == audio::Samples::float32) {
        if (samples == audio::Samples::float32) wanted = static_cast<float>(wanted);
        return found == wanted || (std::isnan(found) && std::isnan(wanted));
    }
    return audio::storedInteger(found, samples) == audio::storedInteger(wanted, samples);
}

class RecordingCutter {
  public:
    RecordingCutter(const CutSettings& settings, ClipNames& names, const fs::path& recording,
                    const std::function<bool()>& proceed)
        : settings_(settings)
        , names_(names)
        , recording_(recording)
        , proceed_(proceed)
        , file_(recording, Pipes::refused, reading(settings))
        , start_(audio::startOf(recording)) {
        shape_.sampleRate = file_.sampleRate();
        shape_.channels = settings.reading.channel > 0 ? 1 : file_.channels();
        shape_.stored = file_.stored();
        if (settings.reading.channel > 0) shape_.stored.speakers.clear();
        const bool flac = settings.format == ClipFormat::flac ||
                          (settings.format == ClipFormat::asRecording && shape_.stored.flac);
        shape_.stored.flac = false;
        if (flac) shape_ = shape_.asFlac();
    }

    std::vector<std::string> remarks() const {
        if (shape_.stored.samples == file_.stored().samples) return {};
        return {"FLAC has no floating point and no 32 bits: its clips have 24 bits, clipped at full scale; "
                "WAV keeps every bit"};
    }

    Clip cut(const CutEvent& event) {
        Clip clip{.event = &event};
        try {
            tryToCut(event, clip);
        } catch (const WriteError& error) {
            if (error.reach() == WriteError::Reach::allResults) throw;
            fail(clip, error.what());
        } catch (const Error& error) {
            fail(clip, error.what());
        }
        return clip;
    }

  private:
    // The channels are chosen here, so that the file's layout does not matter.
    static audio::ReadOptions reading(const CutSettings& settings) {
        return {.channel = std::max(settings.reading.channel, audio::ReadOptions::mix),
                .speed = settings.reading.speed};
    }

    static void fail(Clip& clip, std::string why) {
        clip.state = Clip::State::failed;
        clip.problem = std::move(why);
    }

    Stretch stretchOf(const CutEvent& event) const {
        const double rate = shape_.sampleRate;
        const std::int64_t length =
            file_.frames() > 0 ? file_.frames() : std::numeric_limits<std::int64_t>::max();
        const auto frameAt = [&](double seconds) {
            constexpr double maxFrame = 9e18; // below 2^63
            const double frame = std::round(std::max(seconds, 0.0) * rate);
            return std::min(static_cast<std::int64_t>(std::min(frame, maxFrame)), length);
        };
        return {frameAt(event.onset - settings_.handles), frameAt(event.offset + settings_.handles)};
    }

    std::string place(const CutEvent& event) const {
        return fmt::format("{}: {} from {:g} s to {:g} s", displayName(recording_), printable(event.label),
                           event.onset, event.offset);
    }

    void tryToCut(const CutEvent& event, Clip& clip) {
        const Stretch stretch = stretchOf(event);
        nameClip(event, stretch, clip);
        if (stretch.begin >= stretch.end)
            throw Error(place(event) + (event.offset <= event.onset && settings_.handles <= 0.0
                                            ? " has no length; handles cut around it"
                                            : " lies beyond the end of the recording; is it another one?"));
        std::error_code notThere;
        if (fs::exists(fs::symlink_status(clip.file, notThere))) {
            if (holds(clip.file, stretch)) {
                clip.state = Clip::State::present;
                clip.end = static_cast<double>(stretch.begin + frames_) / shape_.sampleRate;
                return;
            }
            refuseToReplace(clip.file);
        }
        write(event, stretch, clip);
        clip.end = static_cast<double>(stretch.begin + frames_) / shape_.sampleRate;
    }

    void nameClip(const CutEvent& event, const Stretch& stretch, Clip& clip) {
        clip.begin = static_cast<double>(stretch.begin) / shape_.sampleRate;
        clip.end = static_cast<double>(stretch.end) / shape_.sampleRate;
        if (start_) clip.start = later(*start_, clip.begin);
        const auto stem = recording_.stem().u8string();
        const std::string name =
            settings_.rule.name({.recording = {reinterpret_cast<const char*>(stem.data()), stem.size()},
                                 .label = event.label,
                                 .onset = event.onset,
                                 .offset = event.offset,
                                 .peak = event.peak ? event.peak : event.confidence,
                                 .number = event.number,
                                 .clock = clip.start});
        clip.file = settings_.folder / names_.next(name, shape_.stored.flac ? ".flac" : ".wav");
    }

    void refuseToReplace(const fs::path& file) const {
        if (!settings_.overwrite)
            throw WriteError(displayName(file) +
                             ": is there already and holds something else; choose another folder, or --name "
                             "or --overwrite");
        std::error_code ignored;
        for (const fs::path& input : settings_.inputs)
            if (fs::equivalent(file, input, ignored))
                throw WriteError(displayName(file) +
                                 ": would overwrite what is read; choose another folder for the clips");
    }

    void write(const CutEvent& event, const Stretch& stretch, const Clip& clip) {
        WholeFile file(clip.file, WholeFile::MissingFolders::made);
        audio::SoundShape shape = shape_;
        shape.frames = file_.frames() > 0 ? stretch.end - stretch.begin : 0;
        shape.title = displayText(event.label);
        if (clip.start) shape.date = isoText(*clip.start);
        audio::SoundWriter writer(file, shape);
        eachBlock(stretch, [&](std::span<const double> samples) {
            writer.write(samples);
            return true;
        });
        if (frames_ == 0)
            throw Error(place(event) + " lies beyond the end of the recording; is it another one?");
        writer.finish();
        file.commit();
    }

    // Calls take() for the samples of a stretch while it returns true, and counts the frames.
    void eachBlock(const Stretch& stretch, const std::function<bool(std::span<const double>)>& take) {
        StretchReader reader(file_, settings_.reading.channel, stretch);
        frames_ = 0;
        for (auto samples = reader.next(); !samples.empty(); samples = reader.next()) {
            if (!proceed_()) throw CutStopped();
            if (!take(samples)) return;
            frames_ += static_cast<std::int64_t>(samples.size()) / shape_.channels;
        }
    }

    // Whether the file is this clip.
    bool holds(const fs::path& file, const Stretch& stretch) {
        try {
            audio::AudioFile found(file, Pipes::refused, {.speed = 1.0});
            const auto& stored = found.stored();
            if (found.sampleRate() != shape_.sampleRate || found.channels() != shape_.channels ||
                stored.samples != shape_.stored.samples || stored.flac != shape_.stored.flac)
                return false;
            bool same = true;
            std::vector<double> block;
            const auto read = [&](std::size_t samples) {
                block.resize(samples);
                std::size_t done = 0, count = 0;
                const auto width = static_cast<std::size_t>(shape_.channels);
                while (done < samples && (count = found.readStored(std::span(block).subspan(done))) > 0)
                    done += count * width;
                return done;
            };
            eachBlock(stretch, [&](std::span<const double> wanted) {
                same = read(wanted.size()) == wanted.size();
                for (std::size_t i = 0; same && i < wanted.size(); ++i)
                    same = sameStored(block[i], wanted[i], stored.samples);
                return same;
            });
            return same && read(static_cast<std::size_t>(shape_.channels)) == 0;
        } catch (const Error&) {
            logCaught("comparing a clip"); // no sound, or damaged
            return false;
        }
    }

    const CutSettings& settings_;
    ClipNames& names_;
    const fs::path& recording_;
    const std::function<bool()>& proceed_;
    audio::AudioFile file_;
    std::optional<WallTime> start_;
    audio::SoundShape shape_;
    std::int64_t frames_ = 0; // of the last clip
};

} // namespace

Cutter::Cutter(CutSettings settings)
    : settings_(std::move(settings)) {}

bool Cutter::cut(const fs::path& recording, std::span<const CutEvent> events,
                 const std::function<bool()>& proceed, const ClipDone& done) {
    remarks_.clear();
    RecordingCutter cutter(settings_, names_, recording, proceed);
    remarks_ = cutter.remarks();
    std::vector<const CutEvent*> order;
    for (const CutEvent& event : events) order.push_back(&event);
    std::ranges::stable_sort(order, {}, [](const CutEvent* event) { return event->onset; });
    try {
        for (const CutEvent* event : order)
            if (!proceed() || !done(cutter.cut(*event))) return false;
    } catch (const CutStopped&) {
        return false;
    }
    return true;
}

} // namespace earshot::batch
