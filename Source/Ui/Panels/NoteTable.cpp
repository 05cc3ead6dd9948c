#include "Ui/Panels/NoteTable.h"

#include "Ui/NonThrowing.h"
#include "Ui/SoundFilter.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace earshot::ui {

namespace {

constexpr int headerHeight = 22;
constexpr int rowHeight = 26;
constexpr int noteWidth = 64;
constexpr int channelWidth = 64;

void change(OutputControl& outputs, const formats::MidiKey& key, formats::MidiNote note) {
    auto settings = outputs.settings();
    settings.midi.set(key, note);
    outputs.set(settings);
}

constexpr std::array<const char*, 12> names{"C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"};
constexpr int minOctave = -2; // of note 0, so that 60 is C3

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

// The whole text as a number in [lowest, highest].
std::optional<int> number(std::string_view text, int lowest, int highest) {
    int value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, value);
    if (problem != std::errc() || stop != end || value < lowest || value > highest) return std::nullopt;
    return value;
}

} // namespace

std::string noteText(int note) {
    return fmt::format("{}{}", names[static_cast<std::size_t>(note % 12)], note / 12 + minOctave);
}

std::optional<int> parseNote(std::string_view text) {
    text = trimmed(text);
    if (const auto plain = number(text, 0, 127)) return plain;
    if (text.empty()) return std::nullopt;
    constexpr std::string_view letters = "c d ef g a b"; // by semitone
    const auto semitone = letters.find(static_cast<char>(std::tolower(static_cast<unsigned char>(text[0]))));
    if (semitone == std::string_view::npos || text[0] == ' ') return std::nullopt;
    text.remove_prefix(1);
    int shift = 0;
    if (!text.empty() && (text[0] == '#' || text[0] == 'b')) {
        shift = text[0] == '#' ? 1 : -1;
        text.remove_prefix(1);
    }
    const auto octave = number(text, minOctave, 8);
    if (!octave) return std::nullopt;
    const int note = (*octave - minOctave) * 12 + static_cast<int>(semitone) + shift;
    if (note < 0 || note > 127) return std::nullopt;
    return note;
}

std::optional<int> parseChannel(std::string_view text) { return number(trimmed(text), 1, 16); }

class NoteTable::Row : public juce::Component {
  public:
    explicit Row(NoteTable& table)
        : table_(table) {
        for (auto* label : {&note_, &channel_}) {
            label->setEditable(true);
            label->setFont(Theme::font(12.0f));
            label->setJustificationType(juce::Justification::centred);
            addAndMakeVisible(label);
        }
        note_.onTextChange = [this] {
            catchAll(*this, [this] {
                table_.setNote(classIndex_, note_.getText());
                showNote();
            });
        };
        channel_.onTextChange = [this] {
            catchAll(*this, [this] {
                table_.setChannel(classIndex_, channel_.getText());
                showNote();
            });
        };
        setInterceptsMouseClicks(false, true);
    }

    void show(int classIndex, bool selected) {
        classIndex_ = classIndex;
        selected_ = selected;
        showNote();
    }

    void edit() { note_.showEditor(); }

    void showNote() {
        name_ = table_.viewModel_.label(classIndex_);
        const auto note = table_.map_.noteFor(table_.key(classIndex_));
        note_.setText(toText(noteText(note.note)) + " (" + juce::String(note.note) + ")",
                      juce::dontSendNotification);
        channel_.setText(juce::String(note.channel), juce::dontSendNotification);
        describeWithTooltip(note_, "Note of " + name_, "Type a note name (C1) or number (36)");
        describeWithTooltip(channel_, "Channel of " + name_, "1 to 16");
        setTitle(name_);
        repaint();
    }

    void paint(juce::Graphics& graphics) override {
        const auto& palette = Theme::of(*this);
        if (selected_) {
            graphics.setColour(palette.raised);
            graphics.fillRoundedRectangle(getLocalBounds().toFloat().reduced(2.0f, 0.0f),
                                          size::corner - 2.0f);
        }
        graphics.setColour(palette.text);
        graphics.setFont(Theme::font(12.0f));
        graphics.drawText(
            name_, getLocalBounds().withTrimmedLeft(10).withTrimmedRight(noteWidth + channelWidth + 24),
            juce::Justification::centredLeft, true);
        graphics.setColour(palette.line);
        for (auto* label : {&note_, &channel_})
            graphics.drawRoundedRectangle(label->getBounds().toFloat().reduced(0.5f), 4.0f, 1.0f);
    }

    void resized() override {
        auto area = getLocalBounds().withTrimmedRight(14).reduced(0, 2);
        channel_.setBounds(area.removeFromRight(channelWidth).reduced(8, 0));
        note_.setBounds(area.removeFromRight(noteWidth));
    }

  private:
    NoteTable& table_;
    int classIndex_ = 0;
    bool selected_ = false;
    juce::String name_;
    juce::Label note_, channel_;
};

NoteTable::NoteTable(OutputControl& outputs, HistoryViewModel& viewModel)
    : outputs_(outputs)
    , viewModel_(viewModel)
    , list_("Notes", this) {
    describe(*this, "Notes of sounds");
    describe(list_, "Notes of sounds", "Up and down select a sound, Return edits its note");
    nameScrollBars(*list_.getViewport(), "the notes");
    list_.setRowHeight(rowHeight);
    list_.setColour(juce::ListBox::backgroundColourId, juce::Colours::transparentBlack);
    list_.setOutlineThickness(0);
    addAndMakeVisible(list_);
    refresh();
}

NoteTable::~NoteTable() { list_.setModel(nullptr); }

void NoteTable::setSearch(const juce::String& search) {
    search_ = search;
    refresh();
}

void NoteTable::refresh() {
    const auto& labels = viewModel_.history().labels;
    std::vector<int> classes;
    for (int i = 0; labels != nullptr && i < labels->count(); ++i)
        if (matchesSearch(labels->name(i), search_)) classes.push_back(i);
    auto map = outputs_.settings().midi;
    // Does not disturb a note that is being typed.
    if (classes == classes_ && map == map_ && labels == labels_) return;
    classes_ = std::move(classes);
    map_ = std::move(map);
    labels_ = labels;
    list_.updateContent();
    repaint();
}

bool NoteTable::setNote(int classIndex, const juce::String& text) {
    // "C1 (36)", the displayed text, is read as "C1".
    const auto note = parseNote(text.upToFirstOccurrenceOf("(", false, false).toStdString());
    if (!note) return false;
    auto changed = outputs_.settings().midi.noteFor(key(classIndex));
    changed.note = *note;
    change(outputs_, key(classIndex), changed);
    map_ = outputs_.settings().midi;
    return true;
}

bool NoteTable::setChannel(int classIndex, const juce::String& text) {
    const auto channel = parseChannel(text.toStdString());
    if (!channel) return false;
    auto changed = outputs_.settings().midi.noteFor(key(classIndex));
    changed.channel = *channel;
    change(outputs_, key(classIndex), changed);
    map_ = outputs_.settings().midi;
    return true;
}

formats::MidiKey NoteTable::key(int classIndex) const {
    const auto& labels = viewModel_.history().labels;
    if (labels == nullptr || classIndex >= labels->count()) return classIndex;
    return labels->key(classIndex);
}

void NoteTable::reset() {
    auto settings = outputs_.settings();
    settings.midi = {};
    outputs_.set(settings);
    refresh();
}

juce::Component* NoteTable::refreshComponentForRow(int row, bool selected, juce::Component* existing) {
    // JUCE passes the component it held, and keeps the returned one.
    std::unique_ptr<juce::Component> held(existing);
    if (row < 0 || row >= sounds()) return nullptr;
    catchAll(*this, [&] {
        if (dynamic_cast<Row*>(held.get()) == nullptr) held = std::make_unique<NonThrowing<Row>>(*this);
        static_cast<Row&>(*held).show(classes_[static_cast<std::size_t>(row)], selected);
    });
    return held.release();
}

juce::String NoteTable::getNameForRow(int row) {
    juce::String name;
    catchAll(*this, [&] { name = rowName(row); });
    return name;
}

void NoteTable::returnKeyPressed(int row) {
    catchAll(*this, [&] {
        auto* shown = dynamic_cast<Row*>(list_.getComponentForRowNumber(row));
        if (shown != nullptr && isShowing()) shown->edit();
    });
}

juce::String NoteTable::rowName(int row) const {
    if (row < 0 || row >= sounds()) return {};
    const int classIndex = classes_[static_cast<std::size_t>(row)];
    const auto note = map_.noteFor(key(classIndex));
    return viewModel_.label(classIndex) + ", note " + toText(noteText(note.note)) + ", channel " +
           juce::String(note.channel);
}

void NoteTable::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    const auto area = getLocalBounds().toFloat();
    graphics.setColour(palette.background);
    graphics.fillRoundedRectangle(area, size::corner);
    graphics.setColour(palette.line);
    graphics.drawRoundedRectangle(area.reduced(0.5f), size::corner, 1.0f);
    graphics.setColour(palette.secondary);
    graphics.setFont(Theme::font(11.0f));
    auto header = getLocalBounds().removeFromTop(headerHeight).withTrimmedRight(14);
    graphics.drawText("Channel", header.removeFromRight(channelWidth), juce::Justification::centred, false);
    graphics.drawText("Note", header.removeFromRight(noteWidth), juce::Justification::centred, false);
    graphics.drawText("Sound", header.withTrimmedLeft(10), juce::Justification::centredLeft, false);
    if (classes_.empty())
        graphics.drawText(search_.isEmpty() ? "Load a model to see its sounds" : "No sounds match",
                          getLocalBounds().withTrimmedTop(headerHeight).reduced(10, 6),
                          juce::Justification::topLeft, true);
}

void NoteTable::resized() { list_.setBounds(getLocalBounds().withTrimmedTop(headerHeight).reduced(1, 2)); }

} // namespace earshot::ui
