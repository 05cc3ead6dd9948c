// Decides which stretches of log-mel frames the network gets, and where its tokens belong.
//
// A token covers framesPerToken (32) frames at an absolute position. Windows begin at multiples of that, so
// the tokens of all windows lie on one grid of columns and may be averaged there. One mechanism serves every
// mode: a stretch of `frames` frames is tiled cyclically to a whole window, the network runs, and tokens of
// the same frames are folded back onto one column.
//   crop       whole windows (1024 frames); a shorter recording is followed by silence
//   repeat     quarter windows (256 frames) tiled four times: quicker to react
//   automatic  crop; a shorter recording is tiled ("infer" in the reference)
// The windows depend on absolute positions and on the recording's length, never on how samples arrive. One
// thread at a time; tile() and foldTokens() are pure.
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

// The shape of the network's pass, in log-mel frames.
struct PassShape {
    int windowFrames = 1024;
    int framesPerToken = 32;

    int tokens() const { return windowFrames / framesPerToken; }
};

// The largest hop in tokens that leaves no gaps.
int longestHop(PassShape shape, Mode mode);
// The default hop of recordings: a quarter of that, so that four windows cover each column.
int usualHop(PassShape shape, Mode mode);

// The value of frames after the last one.
enum class Padding { reflect, silence };

struct Window {
    std::int64_t firstFrame = 0; // multiple of framesPerToken
    int heard = 0;               // frames of the recording from firstFrame on; at least 1
    int frames = 0;  // heard and padded frames, which are tiled to windowFrames; a multiple of framesPerToken
    int columns = 0; // how many of its frames / framesPerToken columns count, from the first on
    Padding padding = Padding::reflect;
    bool provisional = false; // a later window replaces it
};

// Decides which window runs next as frames arrive.
class WindowSchedule {
  public:
    // Windows advance by hopTokens. With `provisional`, windows over the short beginning run from two tokens
    // on, at every hop, until the first whole stretch is complete. Throws earshot::Error if the hop would
    // leave gaps.
    WindowSchedule(PassShape shape, Mode mode, int hopTokens, bool provisional);

    // The next window that can run when this many frames are known. Call it until it is empty.
    std::optional<Window> next(std::int64_t knownFrames);
    // Call it after that, when the recording ends with this many frames and columns: the last window, if one
    // is needed. It is aligned to the end, or is the whole of a short recording.
    std::optional<Window> last(std::int64_t totalFrames, std::int64_t totalColumns) const;

    // How many windows next() would give for this many frames.
    std::int64_t waiting(std::int64_t knownFrames) const;
    // Drops all waiting windows except the newest, and returns how many. Columns that no window reaches stay
    // empty.
    std::int64_t skipLate(std::int64_t knownFrames);

    // Continues in another mode or with another hop: the next window ends a hop after the last one. It may
    // begin before settledColumns(); its values for those columns are ignored. Throws as the constructor
    // does, and then changes nothing.
    void change(Mode mode, int hopTokens);
    Mode mode() const { return mode_; }
    int hopTokens() const { return static_cast<int>(hop_ / shape_.framesPerToken); }

    // No later window reads an earlier frame, even after change().
    std::int64_t firstNeededFrame() const;
    // These columns are final.
    std::int64_t settledColumns() const { return settled_; }

    void reset();

  private:
    Window shortBeginning(int heard, int columns) const;
    bool beginningReady(std::int64_t knownFrames) const;
    void schedule();

    PassShape shape_;
    Mode mode_ = Mode::automatic;
    std::int64_t stretch_ = 0; // frames of a settled window: windowFrames, or a quarter of it in mode repeat
    std::int64_t hop_ = 0;     // frames
    bool provisional_;
    std::int64_t end_ = 0;           // frame at which the last regular window ended, 0 before the first
    std::int64_t nextEnd_ = 0;       // frame at which the next one will end
    std::int64_t beginning_ = 0;     // frames of the last provisional window, 0 before the first
    std::int64_t nextBeginning_ = 0; // frames of the next one
    std::int64_t settled_ = 0;       // columns
};

// Builds the network's input: heard (window.heard, bands) -> image (windowFrames, bands), in dB.
void tile(const Window& window, std::span<const float> heard, int bands, std::span<float> image);

// Folds tokens (shape.tokens(), classes) to columns (window.columns, classes): the mean of the tokens that
// cover each.
void foldTokens(const Window& window, PassShape shape, std::span<const float> tokens,
                std::span<float> columns);

} // namespace earshot::detection
