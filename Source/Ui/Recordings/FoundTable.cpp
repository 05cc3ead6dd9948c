#include "Ui/Recordings/FoundTable.h"

#include "Core/Formats/EventFormats.h"
#include "Ui/SoundFilter.h"
#include "Ui/TimeAxis.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace earshot::ui {

namespace {

constexpr std::array<const char*, 5> titles{"Recording", "From", "To", "Sound", "Peak"};
constexpr int momentWidth = 78;
constexpr int certaintyWidth = 84;

// (names): whether each name holds the word, as `holds` says.
template <typename Names, typename Holds>
std::vector<bool> thoseWith(const Names& names, Holds&& holds) {
    std::vector<bool> with;
    with.reserve(names.size());
    for (const auto& name : names) with.push_back(holds(name));
    return with;
}

// (sounds): their places in the alphabet, so that no names are compared while events are ordered.
std::vector<int> ranksOf(const std::vector<std::string>& sounds) {
    std::vector<int> order(sounds.size()), ranks(sounds.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(
        order, {}, [&](int i) -> const std::string& { return sounds[static_cast<std::size_t>(i)]; });
    for (std::size_t i = 0; i < order.size(); ++i)
        ranks[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    return ranks;
}

// (ids up to the largest): the place of the recording with that id; -1: there is none.
std::vector<int> placesOf(const std::vector<ListedRecording>& recordings) {
    int largest = 0;
    for (const auto& recording : recordings) largest = std::max(largest, recording.id);
    std::vector<int> places(static_cast<std::size_t>(largest) + 1, -1);
    for (std::size_t i = 0; i < recordings.size(); ++i)
        if (recordings[i].id >= 0) places[static_cast<std::size_t>(recordings[i].id)] = static_cast<int>(i);
    return places;
}

bool sameIds(const std::vector<ListedRecording>& a, const std::vector<ListedRecording>& b) {
    return std::ranges::equal(a, b, {}, &ListedRecording::id, &ListedRecording::id);
}

} // namespace

std::vector<FoundRow> foundRows(const RecordingList& list, const juce::String& search, FoundOrder order) {
    if (list.events == nullptr) return {};
    const auto& events = list.events->events;
    const auto& sounds = list.events->sounds;
    const auto& recordings = list.rows();
    const auto places = placesOf(recordings);
    const auto ranks = ranksOf(sounds);

    struct Word {
        std::vector<bool> sounds, recordings; // which hold it
    };
    std::vector<Word> words;
    for (const auto& word : juce::StringArray::fromTokens(search, " ", ""))
        if (word.isNotEmpty())
            words.push_back(
                {thoseWith(sounds, [&](const std::string& sound) { return matchesSearch(sound, word); }),
                 thoseWith(recordings, [&](const ListedRecording& recording) {
                     return recording.name.containsIgnoreCase(word);
                 })});

    struct Candidate {
        double key;
        double onset;
        FoundRow row;
    };
    std::vector<Candidate> found;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const auto& event = events[i];
        const auto id = static_cast<std::size_t>(event.recording);
        const auto sound = static_cast<std::size_t>(event.sound);
        if (id >= places.size() || places[id] < 0 || sound >= sounds.size()) continue;
        const auto place = static_cast<std::size_t>(places[id]);
        if (!std::ranges::all_of(
                words, [&](const Word& word) { return word.sounds[sound] || word.recordings[place]; }))
            continue;
        double key = 0.0;
        switch (order.column) {
        case FoundColumn::recording:
            key = places[id];
            break;
        case FoundColumn::onset:
            key = event.onset;
            break;
        case FoundColumn::offset:
            key = event.offset;
            break;
        case FoundColumn::sound:
            key = ranks[sound];
            break;
        case FoundColumn::certainty:
            key = static_cast<double>(event.certainty);
            break;
        }
        found.push_back({order.descending ? -key : key, event.onset, {places[id], static_cast<int>(i)}});
    }
    std::ranges::sort(found, [](const Candidate& a, const Candidate& b) {
        return std::tie(a.key, a.row.recording, a.onset, a.row.event) <
               std::tie(b.key, b.row.recording, b.onset, b.row.event);
    });
    std::vector<FoundRow> rows;
    rows.reserve(found.size());
    for (const auto& candidate : found) rows.push_back(candidate.row);
    return rows;
}

// Space plays an event. The other keys are JUCE's.
class FoundTable::List : public FocusRing<juce::ListBox> {
  public:
    explicit List(FoundTable& table)
        : FocusRing<juce::ListBox>("Found events", &table)
        , table_(table) {}

    bool keyPressed(const juce::KeyPress& key) override {
        if (key == juce::KeyPress(juce::KeyPress::spaceKey) && table_.has(getLastRowSelected())) {
            table_.notify(table_.onPlay, getLastRowSelected());
            return true;
        }
        return juce::ListBox::keyPressed(key);
    }

  private:
    FoundTable& table_;
};

FoundTable::FoundTable()
    : list_(std::make_unique<NonThrowing<List>>(*this)) {
    describe(*this, "Found events");
    describe(*list_, "Found events", "Return shows an event in its recording, Space plays it");
    nameScrollBars(*list_->getViewport(), "the events");
    for (std::size_t i = 0; i < headers_.size(); ++i) {
        headers_[i] = std::make_unique<NonThrowing<ColumnHeader>>(titles[i]);
        headers_[i]->onClick = [this, column = static_cast<FoundColumn>(i)] {
            setOrder({column, order_.column == column && !order_.descending});
        };
        addAndMakeVisible(*headers_[i]);
    }
    showOrder();
    list_->setRowHeight(rowHeight);
    list_->setColour(juce::ListBox::backgroundColourId, juce::Colours::transparentBlack);
    list_->setOutlineThickness(0);
    addAndMakeVisible(*list_);
}

FoundTable::~FoundTable() { list_->setModel(nullptr); }

void FoundTable::show(const RecordingList& list) {
    const bool same = list.events == shown_.events && sameIds(list.rows(), shown_.rows());
    if (!same && list.events != nullptr)
        headers_.back()->rename(list.events->sebbs ? "Confidence" : titles.back());
    const auto before = std::exchange(shown_, list);
    if (before.recordings != list.recordings) list_->repaint(); // a start may be known by now
    if (same) return;
    const int selected = list_->getSelectedRow();
    std::optional<ListedEvent> kept;
    if (has(selected) && before.events != nullptr)
        kept =
            before.events->events[static_cast<std::size_t>(rows_[static_cast<std::size_t>(selected)].event)];
    refresh();
    if (!kept) return;
    int now = -1;
    for (int row = 0; row < getNumRows() && now < 0; ++row)
        if (event(row).recording == kept->recording && event(row).onset == kept->onset &&
            event(row).sound == kept->sound && event(row).channel == kept->channel)
            now = row;
    juce::SparseSet<int> rows;
    if (now >= 0) rows.addRange({now, now + 1});
    list_->setSelectedRows(rows, juce::dontSendNotification);
}

void FoundTable::refresh() {
    rows_ = foundRows(shown_, search_, order_);
    list_->updateContent();
    list_->repaint();
    repaint();
    if (onCount) onCount();
}

void FoundTable::setSearch(const juce::String& search) {
    if (search == std::exchange(search_, search)) return;
    list_->deselectAllRows();
    refresh();
}

void FoundTable::setOrder(FoundOrder order) {
    if (order == std::exchange(order_, order)) return;
    showOrder();
    list_->deselectAllRows();
    refresh();
}

void FoundTable::showOrder() {
    using Order = ColumnHeader::Order;
    const auto order = order_.descending ? Order::falling : Order::rising;
    for (std::size_t i = 0; i < headers_.size(); ++i)
        headers_[i]->show(static_cast<FoundColumn>(i) == order_.column ? order : Order::none);
}

void FoundTable::select(int row) { list_->selectRow(row); }

juce::String FoundTable::countText() const {
    const auto listed = static_cast<int>(rows_.size());
    const int all = shown_.events != nullptr ? static_cast<int>(shown_.events->events.size()) : 0;
    auto text = (listed == all ? juce::String() : juce::String(listed) + " of ") + juce::String(all) +
                (all == 1 ? " event" : " events");
    if (shown_.events != nullptr && shown_.events->more > 0)
        text += "; " + juce::String(shown_.events->more) + " more are in the results alone";
    return text;
}

const ListedEvent& FoundTable::event(int row) const {
    return shown_.events->events[static_cast<std::size_t>(rows_[static_cast<std::size_t>(row)].event)];
}

juce::StringArray FoundTable::cells(int row) const {
    const auto& shown = event(row);
    const auto& recording =
        shown_.rows()[static_cast<std::size_t>(rows_[static_cast<std::size_t>(row)].recording)];
    return {recording.name, clockText(recording.start, shown.onset), clockText(recording.start, shown.offset),
            soundText(shown), juce::String(shown.certainty, 2)};
}

juce::String FoundTable::soundText(const ListedEvent& event) const {
    return toText(formats::labelWithChannel(
        {.label = shown_.events->sounds[static_cast<std::size_t>(event.sound)], .channel = event.channel}));
}

void FoundTable::notify(const std::function<void(const FoundEvent&)>& whom, int row) const {
    if (!has(row) || !whom) return;
    const auto& shown = event(row);
    const auto& recording =
        shown_.rows()[static_cast<std::size_t>(rows_[static_cast<std::size_t>(row)].recording)];
    // A copy, because going there may update the table.
    const FoundEvent found{recording.file, shown_.events->sounds[static_cast<std::size_t>(shown.sound)],
                           shown.onset, shown.offset, shown.channel};
    whom(found);
}

// JUCE's list calls these functions.
void FoundTable::paintListBoxItem(int row, juce::Graphics& graphics, int width, int height, bool selected) {
    catchAll(*this, [&] {
        if (has(row)) paintRow(row, graphics, height, width, selected);
    });
}

juce::String FoundTable::getNameForRow(int row) {
    juce::String name;
    catchAll(*this, [&] {
        if (!has(row)) return;
        const auto texts = cells(row);
        name = texts[3] + " at " + texts[1] + " in " + texts[0] + ", to " + texts[2] + ", " +
               headers_.back()->getName().toLowerCase() + " " + texts[4];
    });
    return name;
}

void FoundTable::listBoxItemClicked(int row, const juce::MouseEvent& event) {
    if (event.mods.isPopupMenu()) return;
    catchAll(*this, [&] { notify(onGoTo, row); });
}

void FoundTable::returnKeyPressed(int row) {
    catchAll(*this, [&] { notify(onGoTo, row); });
}

void FoundTable::paintRow(int row, juce::Graphics& graphics, int height, int width, bool selected) const {
    const auto& palette = Theme::of(*this);
    if (selected) {
        graphics.setColour(palette.raised);
        graphics.fillRoundedRectangle(juce::Rectangle<int>(width, height).toFloat().reduced(6.0f, 0.0f),
                                      size::corner - 2.0f);
    }
    const auto texts = cells(row);
    const auto left = edges();
    graphics.setFont(Theme::font(12.0f));
    graphics.setColour(palette.text);
    for (int i = 0; i < texts.size(); ++i) {
        const auto column = static_cast<std::size_t>(i);
        const juce::Rectangle<int> area(left[column], 0, left[column + 1] - left[column] - 8, height);
        if (column == 0 || column == 3)
            graphics.drawText(texts[i], area, juce::Justification::centredLeft, true);
        else
            Theme::drawNumber(graphics, texts[i], area.toFloat(), juce::Justification::centredLeft);
    }
}

std::array<int, 6> FoundTable::edges() const {
    const int names = std::max(80, getWidth() - 2 * size::margin - 2 * momentWidth - certaintyWidth);
    const int widths[] = {names * 11 / 20, momentWidth, momentWidth, names - names * 11 / 20, certaintyWidth};
    std::array<int, 6> left{size::margin};
    for (std::size_t i = 0; i < 5; ++i) left[i + 1] = left[i] + widths[i];
    return left;
}

void FoundTable::paint(juce::Graphics& graphics) {
    if (!rows_.empty()) return;
    graphics.setColour(Theme::of(*this).secondary);
    graphics.setFont(Theme::font(12.0f));
    const bool none = shown_.events == nullptr || shown_.events->events.empty();
    graphics.drawText(none ? "Events appear here as the recordings are analysed."
                           : "No events match. Change the search.",
                      list_->getBounds().withTrimmedLeft(size::margin).withHeight(rowHeight),
                      juce::Justification::centredLeft, true);
}

void FoundTable::resized() {
    auto area = getLocalBounds();
    const auto header = area.removeFromTop(headerHeight);
    const auto left = edges();
    for (std::size_t i = 0; i < headers_.size(); ++i)
        headers_[i]->setBounds(left[i], header.getY() + 1, left[i + 1] - left[i] - 8, header.getHeight() - 2);
    list_->setBounds(area);
}

} // namespace earshot::ui
