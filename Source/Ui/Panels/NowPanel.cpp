#include "Ui/Panels/NowPanel.h"

#include "Core/Streaming/FilePlayer.h"
#include "Ui/NonThrowing.h"
#include "Ui/ParameterIds.h"
#include "Ui/SoundFilter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace earshot::ui {

namespace {

constexpr int framesPerSecond = 30;
constexpr int tallestRow = 44;
constexpr int barHeight = 6;

// Time constants in seconds: a new sound shows quickly, and one that ends lingers.
constexpr double riseTime = 0.15;
constexpr double fallTime = 0.9;

constexpr float minListed = 0.05f;  // a probability below it says nothing
constexpr double pointedTime = 1.5; // seconds for which a pointer that stopped counts during playback

} // namespace

// A name, its value, and the bar below.
class NowPanel::Row : public juce::Component {
  public:
    Row() { setInterceptsMouseClicks(false, false); }

    void show(const juce::String& name, float value, float held, bool sounding,
              detection::SoundFamily family) {
        const auto text = juce::String(value, 2);
        const auto heldSteps = juce::roundToInt(held * 200.0f); // steps of a mark that can be seen
        if (name == name_ && text == text_ && heldSteps == heldSteps_ && sounding == sounding_) return;
        family_ = family;
        name_ = name;
        text_ = text;
        value_ = value;
        heldSteps_ = heldSteps;
        sounding_ = sounding;
        setTitle(name + " " + text + (sounding ? ", sounding" : ""));
        repaint();
    }

    void paint(juce::Graphics& graphics) override {
        const auto& palette = Theme::of(*this);
        auto area = getLocalBounds().toFloat();
        const auto words = area.removeFromTop(18.0f);
        graphics.setColour(sounding_ ? palette.text : palette.secondary);
        graphics.setFont(Theme::font(13.0f));
        graphics.drawText(name_, words.withTrimmedRight(40.0f), juce::Justification::centredLeft, true);
        Theme::drawNumber(graphics, text_, words, juce::Justification::centredRight);

        auto bar = area.withTrimmedTop(3.0f).removeFromTop(static_cast<float>(barHeight));
        graphics.setColour(palette.light ? palette.raised : palette.background);
        graphics.fillRoundedRectangle(bar, bar.getHeight() / 2.0f);
        const float value = juce::jlimit(0.0f, 1.0f, value_);
        // A faint sound's colour is close to the surface's. It is never so dark that its bar cannot be seen.
        graphics.setColour(palette.at(std::max(0.38f, value), family_));
        graphics.fillRoundedRectangle(bar.withWidth(std::max(bar.getHeight(), bar.getWidth() * value)),
                                      bar.getHeight() / 2.0f);
        const float held = static_cast<float>(heldSteps_) / 200.0f;
        if (held <= value) return;
        graphics.setColour(sounding_ ? palette.text : palette.secondary);
        graphics.fillRect(
            juce::Rectangle<float>(2.0f, 10.0f)
                .withCentre(
                    {std::min(bar.getX() + bar.getWidth() * held, bar.getRight() - 1.0f), bar.getCentreY()}));
    }

    std::unique_ptr<juce::AccessibilityHandler> createAccessibilityHandler() override {
        return std::make_unique<juce::AccessibilityHandler>(*this, juce::AccessibilityRole::staticText);
    }

  private:
    juce::String name_, text_;
    float value_ = 0.0f;
    int heldSteps_ = 0;
    bool sounding_ = false;
    detection::SoundFamily family_ = detection::SoundFamily::unplaced;
};

NowPanel::NowPanel(Controller& controller, HistoryViewModel& viewModel)
    : controller_(controller)
    , viewModel_(viewModel) {
    describe(*this, "Now", "The strongest sounds at this moment");
    addAndMakeVisible(title_);
    for (auto& row : rows_) {
        row = std::make_unique<NonThrowing<Row>>();
        addChildComponent(*row);
    }
    viewModel_.addListener(this);
    lastTick_ = juce::Time::getMillisecondCounterHiRes();
    startTimerHz(framesPerSecond);
    updateShown();
}

NowPanel::~NowPanel() { viewModel_.removeListener(this); }

void NowPanel::setSearch(const juce::String& search) {
    search_ = search;
    updateShown();
}

void NowPanel::updateShown() {
    const auto* labels = viewModel_.history().labels.get();
    shown_ =
        labels != nullptr ? shownSounds(*labels, controller_.view().get(), search_) : std::vector<bool>();
    advance(0.0);
}

void NowPanel::historyChanged(const HistoryViewModel::Changes& changes) {
    const auto* labels = viewModel_.history().labels.get();
    const bool same = !changes.replaced && labels != nullptr && shown_.size() == labels->names().size();
    if (same && !changes.labels) return;
    if (!same) ranking_.clear(); // else some names are others
    updateShown();
}

void NowPanel::timerCallback() {
    catchAll(*this, [this] { tick(); });
}

void NowPanel::tick() {
    const double now = juce::Time::getMillisecondCounterHiRes();
    const double elapsed = (now - lastTick_) / 1000.0;
    lastTick_ = now;
    if (!viewModel_.frozen() && isShowing()) advance(elapsed);
}

void NowPanel::setPointer(std::optional<double> seconds, bool moved) {
    if (pointer_) lastPointed_ = *pointer_;
    pointer_ = seconds;
    if (moved) sincePointed_ = 0.0;
    if (controller_.playback().showsRecording()) advance(0.0);
}

// While a recording is being heard, its newest column is worth seeing until the user points or plays.
bool NowPanel::isLive() const {
    if (!controller_.playback().showsRecording()) return true;
    auto* player = controller_.playback().player();
    const bool isPlayed = player != nullptr && (player->playing() || player->position() > 0.0);
    return !points() && !isPlayed && viewModel_.status().state != streaming::State::finished;
}

bool NowPanel::movesOn() const {
    auto* player = controller_.playback().player();
    return isLive() || (!points() && player != nullptr && player->playing());
}

// Whether the pointer says which moment is shown.
bool NowPanel::points() const {
    auto* player = controller_.playback().player();
    return pointer_ && (player == nullptr || !player->playing() || sincePointed_ < pointedTime);
}

std::int64_t NowPanel::momentColumn() const {
    const auto& timeline = *viewModel_.history().timeline;
    const auto last = timeline.columns() - 1;
    if (isLive()) return last;
    auto* player = controller_.playback().player();
    const double seconds = points() ? *pointer_ : player != nullptr ? player->position() : lastPointed_;
    const auto column = static_cast<std::int64_t>(seconds / timeline.secondsPerColumn());
    return std::clamp(column, timeline.firstKept(), last);
}

bool NowPanel::sounds(int classIndex, double seconds) const {
    return isLive() ? viewModel_.sounding(classIndex)
                    : viewModel_.events().eventAt(classIndex, seconds) != nullptr;
}

void NowPanel::advance(double seconds) {
    sincePointed_ += seconds;
    const auto& history = viewModel_.history();
    if (history.labels == nullptr || history.timeline == nullptr || history.timeline->columns() == 0) {
        ranking_.clear();
        showRows();
        return;
    }
    if (!movesOn()) ranking_.clear(); // a moment alone: the strongest are exactly these
    const double hold =
        static_cast<double>(controller_.parameters().getRawParameterValue(parameter::hold)->load());
    ranking_.update(history.timeline->column(momentColumn()), shown_, seconds, hold);
    showRows();
}

void NowPanel::showRows() {
    const auto top = ranking_.top();
    const auto& history = viewModel_.history();
    const auto column = top.empty() ? 0 : momentColumn();
    const double moment = top.empty() ? 0.0 : history.timeline->start(column);
    title_.setText(top.empty() || isLive() ? juce::String("Now") : "At " + viewModel_.timeText(moment));
    std::size_t used = 0;
    for (const auto& entry : top) {
        if (std::max(entry.value, entry.held) < minListed) continue;
        const auto label = viewModel_.label(entry.classIndex);
        rows_[used++]->show(label, entry.value, entry.held, sounds(entry.classIndex, moment),
                            detection::familyOf(label.toStdString()));
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i]->setVisible(i < used);
    if (std::exchange(used_, used) != used || used == 0) repaint();
}

void NowPanel::paint(juce::Graphics& graphics) {
    drawPanel(graphics, *this, getLocalBounds().toFloat());
    if (used_ > 0) return;
    graphics.setColour(Theme::of(*this).secondary);
    graphics.setFont(Theme::font(12.0f));
    graphics.drawFittedText(!ranking_.top().empty() ? "No known sound"
                            : search_.isEmpty()     ? "Nothing analysed yet"
                                                    : "No sounds match",
                            getLocalBounds().reduced(size::margin, 40), juce::Justification::topLeft, 2);
}

void NowPanel::resized() {
    auto area = getLocalBounds().reduced(size::margin, 0).withTrimmedTop(10).withTrimmedBottom(6);
    title_.setBounds(area.removeFromTop(20));
    area.removeFromTop(8);
    // Rows move closer together before their number shrinks, and no row is cut in half.
    const int height = juce::jlimit(28, tallestRow, area.getHeight() / places);
    for (auto& row : rows_)
        row->setBounds(area.getHeight() >= 28 ? area.removeFromTop(height) : juce::Rectangle<int>());
}

void Ranking::clear() {
    sounds_.clear();
    order_.clear();
    top_.clear();
}

void Ranking::update(std::span<const float> values, const std::vector<bool>& shown, double elapsed,
                     double hold) {
    if (values.size() != sounds_.size()) {
        clear();
        sounds_.resize(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            sounds_[i].smooth = std::isfinite(values[i]) ? values[i] : 0.0f;
    }
    for (std::size_t i = 0; i < values.size(); ++i)
        follow(sounds_[i], std::isfinite(values[i]) ? values[i] : 0.0f, std::max(0.0, elapsed), hold);
    place(shown);
    sort();

    top_.clear();
    for (const int index : order_) {
        const Sound& sound = sounds_[static_cast<std::size_t>(index)];
        top_.push_back({index, sound.value, sound.held});
    }
}

void Ranking::follow(Sound& sound, float value, double elapsed, double hold) const {
    sound.value = value;
    const double time = value > sound.smooth ? riseTime : fallTime;
    sound.smooth += (value - sound.smooth) * static_cast<float>(1.0 - std::exp(-elapsed / time));
    if (value >= sound.held) {
        sound.held = value;
        sound.sinceHeld = 0.0;
        return;
    }
    const double before = sound.sinceHeld;
    sound.sinceHeld += elapsed;
    const double falling = sound.sinceHeld - std::max(hold, before);
    if (falling > 0.0) sound.held = std::max(value, sound.held - fallPerSecond * static_cast<float>(falling));
}

// Fills free places, then clearly stronger sounds replace the weakest.
void Ranking::place(const std::vector<bool>& shown) {
    const auto takesPart = [&](int index) {
        return static_cast<std::size_t>(index) < shown.size() && shown[static_cast<std::size_t>(index)];
    };
    const auto strength = [&](int index) { return sounds_[static_cast<std::size_t>(index)].smooth; };
    std::erase_if(order_, [&](int index) { return !takesPart(index); });

    std::vector<int> others;
    for (int i = 0; i < static_cast<int>(sounds_.size()); ++i)
        if (takesPart(i) && std::find(order_.begin(), order_.end(), i) == order_.end()) others.push_back(i);
    const auto free = static_cast<std::size_t>(places_) - order_.size();
    const auto candidates = std::min(others.size(), static_cast<std::size_t>(places_));
    std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(candidates), others.end(),
                      [&](int a, int b) { return strength(a) > strength(b); });
    auto next = others.begin();
    const auto last = others.begin() + static_cast<std::ptrdiff_t>(candidates);
    for (std::size_t i = 0; i < free && next != last; ++i) order_.push_back(*next++);
    while (next != last && !order_.empty()) {
        const auto weakest = std::min_element(order_.begin(), order_.end(),
                                              [&](int a, int b) { return strength(a) < strength(b); });
        if (strength(*next) <= strength(*weakest) + margin) break;
        *weakest = *next++;
    }
}

// Neighbours change places only beyond the margin. Every exchange puts a clearly stronger sound first, so
// this ends.
void Ranking::sort() {
    const auto strength = [&](std::size_t place) {
        return sounds_[static_cast<std::size_t>(order_[place])].smooth;
    };
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t place = order_.size(); place-- > 1;) {
            if (strength(place) <= strength(place - 1) + margin) continue;
            std::swap(order_[place], order_[place - 1]);
            moved = true;
        }
    }
}

} // namespace earshot::ui
