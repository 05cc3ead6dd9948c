#include "Core/Streaming/FilePlayer.h"

#include "Core/Base/BackgroundThread.h"
#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Streaming/PlayState.h"
#include "Core/Streaming/StereoReader.h"

#include <boost/lockfree/spsc_queue.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace earshot::streaming {

namespace {

constexpr std::size_t chunkFrames = 512;
constexpr std::size_t chunksAhead = 128; // 1.4 s at 48 kHz
// The audio thread never wakes the reader, so the reader polls for room.
constexpr auto pollInterval = std::chrono::milliseconds(5);

struct Chunk {
    std::uint32_t generation = 0; // the seek it belongs to; the audio thread discards chunks of earlier seeks
    bool last = false;            // the recording's last chunk
    std::size_t frames = 0;
    std::int64_t first = 0; // its first frame, counted at the output's rate
    std::array<float, chunkFrames> left;
    std::array<float, chunkFrames> right;
};

} // namespace

// The player and the reader's thread share it: if the file system does not answer, it outlives the player.
struct FilePlayer::Impl : std::enable_shared_from_this<Impl> {
    void startReader();
    bool stopReader();
    bool close();
    void seek(double seconds);
    void loop(double onset, double offset);
    void endLoop();
    std::optional<Loop> looped() const;
    void setFades(std::size_t frames, bool stops = false);
    double position() const;
    void wake();
    bool isSilent(PlayControl::Value control);

    void readAhead(const StopToken& stop);
    bool waitForWork(std::uint32_t generation, bool done);
    void begin(std::uint32_t generation);
    std::size_t framesToWrap() const;
    void shortenLoop();
    void pushChunks();

    // Frames a second of the recording, Hz: the output's rate divided by the speed.
    std::atomic<double> rate{48000.0};
    std::atomic<double> length{0.0}; // seconds

    // Shared by the audio thread, the reader's thread and the owner's.
    PlayControl control;
    PlayPlace place;
    std::atomic<double> target{0.0};                     // seconds, where the generation begins
    std::atomic<double> loopOnset{0.0};                  // seconds
    std::atomic<double> loopOffset{0.0};                 // seconds; 0: no loop
    std::atomic<std::uint32_t> ended{~std::uint32_t{0}}; // the generation that played to its end
    boost::lockfree::spsc_queue<Chunk> chunks{chunksAhead};

    // Jumps fade, and after each so many frames are played; 0: they do not fade.
    std::atomic<std::size_t> fadesFor{0};
    std::atomic<bool> stopsFaded{false}; // stops once it is silent

    // Only the audio thread.
    std::size_t taken = 0; // frames already played of the queue's first chunk
    PlayFade fade;

    // Shared by the reader's thread and the owner's.
    BackgroundThread reading;
    std::mutex mutex;
    std::condition_variable woken;
    bool closing = false;

    // Only the reader's thread, or the owner while no reader runs.
    std::optional<StereoReader> reader; // reads the open recording
    std::vector<float> left;            // decoded, but not in the queue yet
    std::vector<float> right;
    std::int64_t nextFrame = 0; // first frame of the next chunk, at the output's rate
    bool readAll = false;       // the last chunk is in the queue
    bool wraps = false;         // plays the frames from loopFirst to loopEnd again and again
    std::int64_t loopFirst = 0; // at the output's rate, as nextFrame
    std::int64_t loopEnd = 0;
    Chunk chunk;
};

void FilePlayer::Impl::startReader() {
    closing = false;
    reading = BackgroundThread([self = shared_from_this()](const StopToken& stop) { self->readAhead(stop); });
}

// Returns false if the reader did not end in time. It may still use this object then; the owner must not.
bool FilePlayer::Impl::stopReader() {
    control.stop();
    {
        const std::lock_guard lock(mutex);
        closing = true;
    }
    woken.notify_all();
    return reading.end();
}

bool FilePlayer::Impl::close() {
    if (!stopReader()) return false;
    reader.reset();
    length = 0.0;
    endLoop();
    setFades(0);
    seek(0.0); // makes the chunks in the queue stale
    return true;
}

void FilePlayer::Impl::seek(double seconds) {
    if (!(seconds > 0.0)) seconds = 0.0; // NaN becomes 0, too
    constexpr double longest = 1e7;      // four months; the limit if the file does not state its length
    target = std::min(seconds, length > 0.0 ? length.load() : longest);
    control.advance();
    wake();
}

// Takes effect with the next seek().
void FilePlayer::Impl::loop(double onset, double offset) {
    constexpr double longest = 1e7; // as in seek()
    const double end = length > 0.0 ? length.load() : longest;
    if (!(onset > 0.0)) onset = 0.0; // NaN, too
    onset = std::min(onset, std::max(end - minLoop, 0.0));
    if (!(offset > onset + minLoop)) offset = onset + minLoop;
    loopOnset = onset;
    loopOffset = std::min(offset, longest + minLoop);
}

void FilePlayer::Impl::endLoop() { loopOffset = 0.0; }

std::optional<FilePlayer::Loop> FilePlayer::Impl::looped() const {
    const Loop loop{loopOnset, loopOffset};
    return loop.offset > 0.0 ? std::optional(loop) : std::nullopt;
}

void FilePlayer::Impl::setFades(std::size_t frames, bool stops) {
    stopsFaded = stops;
    fadesFor = frames;
}

double FilePlayer::Impl::position() const {
    const auto frame = place.frame(control.get().generation());
    return frame ? static_cast<double>(*frame) / rate : target.load();
}

void FilePlayer::Impl::wake() {
    { const std::lock_guard lock(mutex); } // the reader waits already, or has yet to check for changes
    woken.notify_all();
}

// Waits until the queue has room for a chunk, a seek happens, or the player closes (returns false then).
bool FilePlayer::Impl::waitForWork(std::uint32_t generation, bool done) {
    const auto ready = [&] {
        return closing || control.get().generation() != generation || (!done && chunks.write_available() > 0);
    };
    std::unique_lock lock(mutex);
    while (!ready())
        if (control.get().playing())
            woken.wait_for(lock, pollInterval);
        else
            woken.wait(lock);
    return !closing;
}

void FilePlayer::Impl::readAhead(const StopToken& stop) {
    for (bool begun = false; !begun || waitForWork(chunk.generation, readAll); begun = true) {
        stop.alive();
        try {
            const auto wanted = control.get().generation();
            if (!begun || wanted != chunk.generation) begin(wanted);
            pushChunks();
        } catch (const std::exception&) { // for example, no memory
            logCaught("playing a recording");
            left.clear();
            right.clear();
            reader->end();
        }
    }
}

void FilePlayer::Impl::begin(std::uint32_t generation) {
    chunk.generation = generation;
    left.clear();
    right.clear();
    nextFrame = std::llround(target * rate);
    readAll = false;
    loopFirst = std::llround(loopOnset * rate);
    loopEnd = std::llround(loopOffset * rate);
    wraps = loopEnd > loopFirst;
    reader->seek(target);
}

// Frames from the first of `left` to the end of the loop.
std::size_t FilePlayer::Impl::framesToWrap() const {
    if (!wraps) return std::numeric_limits<std::size_t>::max();
    return static_cast<std::size_t>(std::max<std::int64_t>(loopEnd - nextFrame, 0));
}

// The recording has ended: so does its loop, there. A loop without a frame is none.
void FilePlayer::Impl::shortenLoop() {
    loopEnd = std::min(loopEnd, nextFrame + static_cast<std::int64_t>(left.size()));
    wraps = loopEnd > loopFirst;
}

// Decodes on and puts whole chunks into the queue while it has room. The last chunk before the end of a loop,
// or of the recording, may be shorter.
void FilePlayer::Impl::pushChunks() {
    bool more = true;
    while (left.size() < std::min(chunkFrames, framesToWrap()) && more) more = reader->read(left, right);
    if (!more) shortenLoop();
    const bool wrapsHere = left.size() >= framesToWrap();
    if (wrapsHere) {
        left.resize(framesToWrap());
        right.resize(framesToWrap());
    }
    std::size_t pushed = 0;
    const auto complete = [&] {
        if (left.size() - pushed >= chunkFrames) return true;
        return wrapsHere ? pushed < left.size() : !more;
    };
    while (chunks.write_available() > 0 && !readAll && complete()) {
        chunk.frames = std::min(chunkFrames, left.size() - pushed);
        chunk.first = nextFrame;
        chunk.last = !more && !wrapsHere && pushed + chunk.frames == left.size();
        std::copy_n(left.begin() + static_cast<std::ptrdiff_t>(pushed), chunk.frames, chunk.left.begin());
        std::copy_n(right.begin() + static_cast<std::ptrdiff_t>(pushed), chunk.frames, chunk.right.begin());
        chunks.push(chunk);
        pushed += chunk.frames;
        nextFrame += static_cast<std::int64_t>(chunk.frames);
        readAll = chunk.last;
    }
    left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(pushed));
    right.erase(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(pushed));
    if (!wrapsHere || !left.empty()) return;
    nextFrame = loopFirst;
    reader->seek(loopOnset);
}

FilePlayer::FilePlayer()
    : impl_(std::make_shared<Impl>())
    , heard_(impl_.get()) {}

FilePlayer::~FilePlayer() { impl_->stopReader(); }

// Replaces impl_ by a new one. The audio thread may still use the old one, so the player keeps it.
void FilePlayer::leaveBehind() {
    auto next = std::make_shared<Impl>();
    next->rate = impl_->rate.load();
    left_.push_back(impl_);
    impl_ = std::move(next);
    heard_ = impl_.get();
}

void FilePlayer::prepare(double sampleRate) {
    if (!(sampleRate >= 1.0) || !std::isfinite(sampleRate)) return; // the host has no audio device
    const std::lock_guard lock(owner_);
    impl_->control.stop();
    outputRate_ = sampleRate;
    setRate();
}

void FilePlayer::setSpeed(double speed) {
    if (!std::isfinite(speed)) return;
    const std::lock_guard lock(owner_);
    const bool plays = impl_->control.get().playing();
    speed_ = std::clamp(speed, minSpeed, maxSpeed);
    setRate();
    if (!plays || !impl_->reading.running()) return;
    impl_->control.play();
    impl_->wake();
}

double FilePlayer::speed() const { return speed_; }

// Goes on where it is, in a loop as well.
void FilePlayer::setRate() {
    const double rate = outputRate_ / speed_;
    if (impl_->rate == rate) return;
    const double position = impl_->position();
    if (!impl_->stopReader()) leaveBehind();
    impl_->rate = rate;
    impl_->seek(position);
    if (!impl_->reader) return;
    impl_->reader->setOutputRate(rate);
    impl_->startReader();
}

void FilePlayer::open(const std::filesystem::path& recording, int channel) {
    const std::lock_guard lock(owner_);
    StereoReader reader(audio::AudioFile(recording, Pipes::refused, {.channel = channel}), impl_->rate);
    scrubs_ = false;
    if (!impl_->close()) leaveBehind();
    impl_->length = reader.length();
    impl_->reader = std::move(reader);
    impl_->startReader();
}

void FilePlayer::close() {
    const std::lock_guard lock(owner_);
    scrubs_ = false;
    if (!impl_->close()) leaveBehind();
}

void FilePlayer::play() {
    const std::lock_guard lock(owner_);
    if (!impl_->reading.running()) return;
    if (impl_->ended == impl_->control.get().generation()) {
        impl_->endLoop(); // it had no frame
        impl_->seek(0.0);
    }
    if (!scrubs_) impl_->setFades(0);
    impl_->control.play();
    impl_->wake();
}

void FilePlayer::stop() {
    const std::lock_guard lock(owner_);
    impl_->control.stop();
}

void FilePlayer::seek(double seconds) {
    const std::lock_guard lock(owner_);
    if (!impl_->reading.running()) return;
    impl_->endLoop();
    impl_->setFades(0);
    impl_->seek(seconds);
}

void FilePlayer::jump(double seconds) {
    const std::lock_guard lock(owner_);
    if (impl_->reading.running()) jumpTo(seconds);
}

void FilePlayer::jumpTo(double seconds) {
    const auto loop = impl_->looped();
    if (loop && !(seconds >= loop->onset && seconds < loop->offset)) impl_->endLoop();
    impl_->seek(seconds);
}

void FilePlayer::setLoop(double onset, double offset) {
    const std::lock_guard lock(owner_);
    if (!impl_->reading.running()) return;
    impl_->loop(onset, offset);
    const double now = impl_->position();
    const auto loop = *impl_->looped();
    impl_->seek(now >= loop.onset && now < loop.offset ? now : loop.onset);
}

std::optional<FilePlayer::Loop> FilePlayer::looped() const { return heard_.load()->looped(); }

void FilePlayer::scrub(double seconds) {
    const std::lock_guard lock(owner_);
    if (!impl_->reading.running()) return;
    if (!std::exchange(scrubs_, true)) playedBefore_ = impl_->control.get().playing();
    impl_->setFades(scrubFrames);
    impl_->seek(seconds);
    impl_->control.play();
    impl_->wake();
}

void FilePlayer::endScrub() {
    const std::lock_guard lock(owner_);
    if (!std::exchange(scrubs_, false) || !impl_->reading.running()) return;
    constexpr auto always = std::numeric_limits<std::size_t>::max();
    const bool heard = impl_->place.frame(impl_->control.get().generation()).has_value();
    impl_->setFades(playedBefore_ ? always : 1, !playedBefore_);
    jumpTo(impl_->target);
    if (!playedBefore_ && !heard) impl_->control.stop(); // nobody may be reading
}

void FilePlayer::loop(double onset, double offset) {
    const std::lock_guard lock(owner_);
    if (!impl_->reading.running()) return;
    impl_->loop(onset, offset);
    impl_->setFades(0);
    impl_->seek(impl_->loopOnset);
    impl_->control.play();
    impl_->wake();
}

void FilePlayer::stopLoop() {
    const std::lock_guard lock(owner_);
    if (!impl_->reading.running() || impl_->loopOffset == 0.0) return;
    impl_->endLoop();
    impl_->seek(impl_->position());
}

bool FilePlayer::playing() const { return heard_.load()->control.get().playing(); }
double FilePlayer::position() const { return heard_.load()->position(); }
double FilePlayer::length() const { return heard_.load()->length; }

// Whether all that is to be heard after a jump was heard; it may stop the player. Call it at frames of `now`.
bool FilePlayer::Impl::isSilent(PlayControl::Value now) {
    if (fadesFor == 0) return false;
    if (std::exchange(fade.generation, now.generation()) != now.generation()) fade.heard = 0;
    if (fade.gain > 0.0f || fade.heard < fadesFor) return false;
    if (stopsFaded) control.stopIf(now);
    return true;
}

bool FilePlayer::read(std::span<float> left, std::span<float> right) noexcept EARSHOT_REALTIME {
    Impl& impl = *heard_.load();
    const auto control = impl.control.get();
    if (!control.playing()) {
        impl.fade.gain = 0.0f;
        return false;
    }
    const std::uint32_t generation = control.generation();
    const std::size_t wanted = std::min(left.size(), right.size());
    std::size_t done = 0;
    const std::size_t fadesFor = impl.fadesFor;
    if (fadesFor == 0) impl.fade.gain = 1.0f;
    for (std::size_t available = impl.chunks.read_available(); available > 0 && done < wanted;) {
        const Chunk& chunk = impl.chunks.front();
        const bool current = chunk.generation == generation;
        if (current || (fadesFor > 0 && impl.fade.gain > 0.0f)) {
            if (current && impl.isSilent(control)) break;
            const auto from = static_cast<std::ptrdiff_t>(impl.taken);
            const std::size_t count = std::min(wanted - done, chunk.frames - impl.taken);
            std::copy_n(chunk.left.begin() + from, count, left.begin() + static_cast<std::ptrdiff_t>(done));
            std::copy_n(chunk.right.begin() + from, count, right.begin() + static_cast<std::ptrdiff_t>(done));
            const std::size_t heard = fadesFor == 0
                                          ? count
                                          : impl.fade.apply(left.subspan(done, count),
                                                            right.subspan(done, count), current, fadesFor);
            done += heard;
            impl.taken += heard;
            if (current) impl.place.set(generation, chunk.first + static_cast<std::int64_t>(impl.taken));
            if (current && heard < count) break;
            if (heard == count && impl.taken < chunk.frames) continue;
            if (current && chunk.last) {
                impl.ended = generation;
                impl.control.stopIf(control);
            }
        }
        impl.chunks.pop();
        impl.taken = 0;
        --available;
    }
    std::fill(left.begin() + static_cast<std::ptrdiff_t>(done), left.end(), 0.0f);
    std::fill(right.begin() + static_cast<std::ptrdiff_t>(done), right.end(), 0.0f);
    return true;
}

} // namespace earshot::streaming
