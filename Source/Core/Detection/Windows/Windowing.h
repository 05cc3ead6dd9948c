// Decides which stretches of log-mel frames the network runs on, and to which columns its tokens belong.
//
// A token covers framesPerToken (32) frames at an absolute position. Windows begin at multiples of
// framesPerToken, so the tokens of all windows lie on one grid of columns and can be averaged there. One
// mechanism serves every mode: a stretch of `frames` frames is tiled cyclically to a whole window, the
// network runs, and the tokens that saw the same frames are folded back onto one column.
//   crop       the stretch is a whole window (1024 frames); silence follows a shorter recording
//   repeat     the stretch is a quarter of that (256 frames), tiled four times: reacts faster
//   automatic  as crop, but a shorter recording is tiled ("infer" in the reference), unless the caller of
//              last() asks for silence
// The windows depend on absolute positions and on the recording's length, never on the block size of the
// samples. One thread at a time; tile(), foldTokens() and weighColumns()
// are pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace earshot::detection {

enum class Mode { automatic, crop, repeat };
inline constexpr std::array allModes = {Mode::automatic, Mode::crop, Mode::repeat};

// "auto", "crop" or "repeat"
const char* name(Mode mode);

// The network's pass in log-mel frames.
struct PassShape {
    int windowFrames = 1024;
    int framesPerToken = 32;

    int tokens() const { return windowFrames / framesPerToken; }
};

// The largest hop, in tokens, that leaves no gaps between windows.
int maxHop(PassShape shape, Mode mode);
// The default hop for recordings: a quarter of the longest, so that four windows overlap on each column.
int usualHop(PassShape shape, Mode mode);
// The hop in tokens that is nearest to `seconds`, from 1 to `longest`.
int hopOf(double seconds, double secondsPerToken, int longest);

// What fills the frames after the recording's last frame.
enum class Padding { reflect, silence };

struct Window {
    std::int64_t firstFrame = 0; // multiple of framesPerToken
    int heard = 0;               // frames of the recording, from firstFrame on, at least 1
    int frames = 0; // the recording's frames and padding; tiled to windowFrames; multiple of framesPerToken
    // how many of the frames / framesPerToken columns are kept, from the first on
    int columns = 0;
    Padding padding = Padding::reflect;
    bool provisional = false; // a later window replaces it
};

// Decides what runs next as frames arrive.
class WindowSchedule {
  public:
    // Windows advance by hopTokens. With `provisional`, the short beginning runs at every hop, from two
    // tokens on, until the first whole stretch is there. Throws earshot::Error if the hop would leave gaps.
    WindowSchedule(PassShape shape, Mode mode, int hopTokens, bool provisional);

    // Returns the next window that can run when `knownFrames` frames of the recording are known; call it
    // until it returns nothing.
    std::optional<Window> next(std::int64_t knownFrames);
    // Call after next(). Returns the window that is still needed when the recording ends with these totals.
    // It is aligned to the end, or covers the whole of a short recording. silenceFollows: so does mode
    // automatic if the recording is short.
    std::optional<Window> last(std::int64_t totalFrames, std::int64_t totalColumns,
                               bool silenceFollows = false) const;

    // Returns how many windows next() would give for `knownFrames`.
    std::int64_t waiting(std::int64_t knownFrames) const;
    // Drops all waiting windows but the newest and returns how many it dropped. Columns that no window covers
    // stay empty.
    std::int64_t skipLate(std::int64_t knownFrames);

    // Goes on in another mode or with another hop: the next window ends one hop after the last one. It may
    // begin before settledColumns(); the caller ignores its results for settled columns. Throws as the
    // constructor does; then nothing has changed.
    void change(Mode mode, int hopTokens);
    Mode mode() const { return mode_; }
    // How many windows begin in a stretch: every so many of them cover all frames between them.
    std::int64_t windowsPerStretch() const { return stretch_ / hop_; }
    int hopTokens() const { return static_cast<int>(hop_ / shape_.framesPerToken); }

    // No later window reads a frame before this one, even after change().
    std::int64_t firstNeededFrame() const;
    // The first settledColumns() columns are final.
    std::int64_t settledColumns() const { return settled_; }

    void reset();

  private:
    Window shortBeginning(int heard, int columns, bool silenceFollows = false) const;
    bool beginningReady(std::int64_t knownFrames) const;
    void schedule();

    PassShape shape_;
    Mode mode_ = Mode::automatic;
    std::int64_t stretch_ = 0; // frames of a settled window: windowFrames, or a quarter of it in mode repeat
    std::int64_t hop_ = 0;     // frames
    bool provisional_;
    std::int64_t end_ = 0;           // frame at which the last regular window ended; 0 before the first
    std::int64_t nextEnd_ = 0;       // frame at which the next regular window ends
    std::int64_t beginning_ = 0;     // frames of the last provisional window; 0 before the first
    std::int64_t nextBeginning_ = 0; // frames of the next provisional window
    std::int64_t settled_ = 0;       // columns
};

// Makes the network's input: heard (window.heard, bands) -> image (windowFrames, bands), in dB.
void tile(const Window& window, std::span<const float> heard, int bands, std::span<float> image);

// tokens (shape.tokens(), classes) -> columns (window.columns, classes): each column is the mean of the
// tokens that cover it.
void foldTokens(const Window& window, PassShape shape, std::span<const float> tokens,
                std::span<float> columns);

// How much each of a window's columns (window.columns) weighs in the average of the windows that cover it:
// less within 0.64 s of the window's ends, where the network lacks what comes before or after. Above 0, at
// most 1.
void weighColumns(const Window& window, PassShape shape, double secondsPerColumn, std::span<float> weights);

} // namespace earshot::detection
