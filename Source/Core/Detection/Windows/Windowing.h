// Which stretches of log-mel frames the network sees, and where its tokens belong.
//
// A token covers framesPerToken (32) frames at an absolute position; windows begin at multiples of that, so
// the tokens of all windows lie on one grid of columns and may be averaged there. One mechanism serves every
// mode: a stretch of `frames` frames is tiled cyclically to a whole window, the network runs, and the tokens
// that saw the same frames are folded back onto one column.
//   crop       whole windows (1024 frames); a shorter recording is followed by silence
//   repeat     quarter windows (256 frames) tiled four times: quicker to react
//   automatic  crop; a shorter recording is tiled ("infer" in the reference)
// What is run depends on absolute positions and on the recording's length, never on how samples arrive.
// One thread at a time; tile() and foldTokens() are pure.
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

// The most tokens that windows can advance by without leaving gaps.
int longestHop(PassShape shape, Mode mode);
// What recordings advance by unless told otherwise: a quarter of that, so that four windows meet on a column.
int usualHop(PassShape shape, Mode mode);

// What stands for frames after the last one that was heard.
enum class Padding { reflect, silence };

struct Window {
    std::int64_t firstFrame = 0; // multiple of framesPerToken
    int heard = 0;               // frames of the recording, from firstFrame on, at least 1
    int frames = 0;              // heard and padded; tiled to windowFrames; multiple of framesPerToken
    int columns = 0;             // kept of its frames / framesPerToken columns, from the first on
    Padding padding = Padding::reflect;
    bool provisional = false; // a later window replaces it
};

// Decides what runs next as frames arrive.
class WindowSchedule {
  public:
    // Windows advance by hopTokens. With `provisional`, the short beginning runs from two tokens on at every
    // hop until the first whole stretch was heard. Throws earshot::Error when the hop would leave gaps.
    WindowSchedule(PassShape shape, Mode mode, int hopTokens, bool provisional);

    // The next window that can run when so many frames of the recording are known; call until empty.
    std::optional<Window> next(std::int64_t knownFrames);
    // After that: the window still needed when the recording ends with so many frames and columns. It is
    // aligned to the end, or is the whole of a short recording.
    std::optional<Window> last(std::int64_t totalFrames, std::int64_t totalColumns) const;

    // How often next() would give a window for so many frames.
    std::int64_t waiting(std::int64_t knownFrames) const;
    // Drops all windows that wait but the newest; says how many. Columns that no window reaches stay empty.
    std::int64_t skipLate(std::int64_t knownFrames);

    // Goes on in another mode or with another hop: the next window ends a hop after the last one. It may
    // begin before settledColumns(); what it says about those is not wanted any more. Throws as the
    // constructor does, and is then as before.
    void change(Mode mode, int hopTokens);
    Mode mode() const { return mode_; }
    int hopTokens() const { return static_cast<int>(hop_ / shape_.framesPerToken); }

    // No later window reads an earlier frame, whatever change() is called.
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
    std::int64_t nextEnd_ = 0;       // and the next one will
    std::int64_t beginning_ = 0;     // frames of the last provisional window, 0 before the first
    std::int64_t nextBeginning_ = 0; // and of the next one
    std::int64_t settled_ = 0;       // columns
};

// The network's input: heard (window.heard, bands) -> image (windowFrames, bands), in dB.
void tile(const Window& window, std::span<const float> heard, int bands, std::span<float> image);

// tokens (shape.tokens(), classes) -> columns (window.columns, classes): the mean of the tokens that cover
// each.
void foldTokens(const Window& window, PassShape shape, std::span<const float> tokens,
                std::span<float> columns);

} // namespace earshot::detection
