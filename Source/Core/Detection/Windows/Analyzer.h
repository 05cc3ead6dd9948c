// Turns samples into columns and events. The command line, the app and the plugin all use this one path:
// log-mel frontend -> Windowing -> network -> Timeline -> events. With words, a ScoredTimeline follows the
// Timeline, whose columns are vectors.
//
// The columns depend on the samples alone. The same samples, in one call or cut into any blocks and with any
// AnalyzerSettings::threads, give the same columns and events, bit for bit. (Exception: a pass on several
// threads, or with another hop, may round differently on CPUs without AVX512.) Memory grows only by the kept
// probabilities, unless the caller forgets them. A window that equals the previous one costs no pass of the
// network; nor does digital silence, whose columns are a constant that is computed once.
//
// With AnalyzerSettings::coarse, a recording is analysed in two steps: windows that do not overlap (looks)
// run everywhere, and the windows between them only if they cover a column in which a look suspects a sound
// (CoarseBound). A column is the average of the windows that ran: where nothing is suspected, the look's
// own. Where all four ran it is what it would be without the bound, bit for bit. The window at the
// recording's end is a look.
//
// push() does everything at once. A live stream calls feed() and runNext() instead, so that it can do other
// work between two passes of the network; the results are the same.
// push(), runNext() and finish() pass on the model's exceptions; after one, call reset() before going on.
// One thread at a time (the worker) uses an Analyzer. Timeline.h states the threads of timeline().
#pragma once

#include "Core/Base/Stop.h"
#include "Core/Detection/Events/Events.h"
#include "Core/Detection/Timeline.h"
#include "Core/Detection/Windows/CoarseBound.h"
#include "Core/Detection/Windows/TokenModel.h"
#include "Core/Detection/Windows/Windowing.h"
#include "Core/Frontend/LogMel.h"

#include <cstdint>
#include <memory>
#include <span>

namespace earshot::detection {

// What follows audio in mode automatic that ends before its first whole window.
//   byLength  a recording's: silence if it is shorter than repeatedFrom seconds, else the recording, repeated
//   repeated  a live stream's, whatever its length, as in its provisional columns
enum class ShortAudio { byLength, repeated };
// Seconds. Of shorter clips more are named rightly when silence follows; of longer ones as many either way,
// as earshot_short_clips_bench measures. A model may ask for repetition alone
// (TokenModel::repeatsShortAudio).
inline constexpr double repeatedFrom = 2.0;

struct AnalyzerSettings {
    Mode mode = Mode::automatic;
    int hopTokens = 8; // windows advance by this many tokens (32 frames each)
    // Also publish columns that later windows will replace (first result after 0.64 s). This does not change
    // the settled columns.
    bool provisional = false;
    // How many windows run at the same time, each on its own thread. Several run only if push() gets enough
    // samples for them and the model can be copied (TokenModel::another). With 1, a pass uses the calling
    // thread's number of threads (tensor::setThreadCount).
    int threads = 1;
    // After a stop request no more windows begin, and finish() settles the columns that are there. Each pass
    // counts as a sign of life.
    StopToken stop = {};
    // Null: every window runs. For push() alone, without provisional columns and for models that give
    // probabilities.
    std::shared_ptr<const CoarseBound> coarse = {};
};

class Analyzer {
  public:
    Analyzer(std::unique_ptr<TokenModel> model, frontend::LogMelSettings frontend,
             const AnalyzerSettings& settings);
    ~Analyzer();

    // Takes mono samples at the model's rate. Values that are not finite count as silence.
    void push(std::span<const float> samples);

    // The same, but runs no window.
    void feed(std::span<const float> samples);
    // Returns how many windows could run now.
    std::int64_t waiting() const;
    // Runs the first waiting window; returns false if there is none.
    bool runNext();
    // Drops all waiting windows but the newest and returns how many it dropped. Columns that no window covers
    // become zeros.
    std::int64_t skipLate();

    // The recording ends: settles every column. Call reset() or resume() before pushing again.
    void finish(ShortAudio how = ShortAudio::byLength);
    void reset();
    // Call it after finish(). Other audio follows, which begins at that column and is heard as a recording of
    // its own: no window hears both. Columns without audio between them become zeros.
    void resume(std::int64_t column);

    // Goes on with another mode or hop and keeps the present columns. Throws earshot::Error as the
    // constructor does; then nothing has changed.
    void change(Mode mode, int hopTokens);
    // Returns (frames, melBands) in dB: the log-mel frames that came since the last call, or since the last
    // push() or feed() began, each once and in order. Valid until the next push(), feed() or reset().
    std::span<const float> takeFrames();

    // Frees the memory of the settled columns before that one: see Timeline::forget().
    void forget(std::int64_t before);

    const Timeline& timeline() const;
    // The timeline of the vectors that timeline() is scored from; null if the model gives probabilities.
    const Timeline* vectors() const;
    // Listens for other words: timeline() is made anew from `kept`, which has all of vectors() that was ever
    // settled and is still wanted. The scorer takes as many values as the model gives.
    void score(std::shared_ptr<const ColumnScorer> scorer, const Timeline& kept);
    EventList events(const EventSettings& settings) const;
    // Returns how many passes the network has run: one per window that ran, except those that equal the
    // previous one, or are silent (one of them is computed).
    std::int64_t passes() const;
    // Returns how many settled columns one look alone covers, since reset(); 0 if every window runs.
    std::int64_t passedOver() const;
    PassShape shape() const;

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace earshot::detection
