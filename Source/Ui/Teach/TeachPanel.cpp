#include "Ui/Teach/TeachPanel.h"

#include "Core/Base/Counted.h"
#include "Ui/WordLanes.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace earshot::ui {

namespace {

constexpr std::size_t firstSound = 2;   // its place among the sections
constexpr int maxNameLengthInMenu = 40; // characters in a menu

// Sets a caption's text and returns whether that is another one.
bool changeText(Caption& caption, const juce::String& text) {
    const bool other = caption.text() != text;
    caption.setText(text);
    return other;
}

bool reveal(juce::Component& component, bool visible) {
    const bool other = component.isVisible() != visible;
    component.setVisible(visible);
    return other;
}

} // namespace

juce::String examplesText(const TaughtSound& sound) {
    const auto dot = juce::String::fromUTF8(" · ");
    auto text = toText(counted(sound.examples, "example"));
    if (sound.counterExamples > 0) text += ", " + juce::String(sound.counterExamples) + " of what it is not";
    text += dot + juce::String(sound.seconds, 1) + " s" + dot + toText(counted(sound.sources, "recording"));
    return sound.learnt ? text : text + dot + "not trained yet";
}

SoundSection::SoundSection(Controller& controller, const TaughtSound& sound)
    : SettingsSection(sound.name)
    , control_(controller.teaching())
    , viewState_(controller.view())
    , name_(sound.name)
    , more_(Sign::more, "More about " + sound.name, "Rename or forget this sound", false) {
    more_.onClick = [this] { showMenu(menu(), more_); };
    addToHeading(more_, 32);
    describeWithTooltip(field_, "Name for " + sound.name, "Return renames the sound, Escape cancels");
    field_.setSelectAllWhenFocused(true);
    field_.onReturn = [this] {
        const auto why = control_.rename(name_, field_.getText().trim());
        if (why.isEmpty()) endRename();
        refuse(why);
        return true;
    };
    addWide(field_, size::control);
    field_.setVisible(false);
    refusal_ = &addText({}, Caption::Role::trouble);
    examples_ = &addText({}, Caption::Role::text);
    reliability_ = &addText({});
    detected_ = &addText({});
    hide_.onClick = [this] { hideOrShowOthers(); };
    addWide(hide_, size::control);
    show(sound);
}

bool SoundSection::show(const TaughtSound& sound) {
    const bool examples = changeText(*examples_, examplesText(sound));
    const bool reliability = changeText(*reliability_, sound.reliability);
    return showOthers(sound.alsoDetected) || examples || reliability;
}

bool SoundSection::showOthers(const juce::StringArray& others) {
    others_ = others;
    const auto names = others.joinIntoString(", ");
    const bool hidden = hidesOthers();
    hide_.setButtonText((hidden ? "Show " : "Hide ") + names);
    describeWithTooltip(hide_, hide_.getButtonText(),
                        hidden ? "Show these sounds in lanes and lists again"
                               : "Hide these sounds in lanes and lists. Undo shows them again.");
    const bool other = changeText(*detected_, names.isEmpty() ? names : "Also detected as " + names);
    return reveal(hide_, !others.isEmpty()) || other;
}

bool SoundSection::hidesOthers() const {
    return std::ranges::all_of(others_, [this](const juce::String& other) {
        return viewState_.get().hidden.contains(other.toStdString());
    });
}

void SoundSection::hideOrShowOthers() {
    const bool show = hidesOthers();
    viewState_.edit([&](ViewSettings& settings) {
        for (const auto& other : others_)
            if (show)
                settings.hidden.erase(other.toStdString());
            else
                settings.hidden.insert(other.toStdString());
    });
}

juce::PopupMenu SoundSection::menu() {
    juce::PopupMenu menu;
    const juce::Component::SafePointer<SoundSection> self(this);
    menu.addItem("Rename...", [self] {
        if (self != nullptr) catchAll(*self, [&] { self->startRename(); });
    });
    menu.addItem("Forget " + inQuotes(name_, maxNameLengthInMenu), [self] {
        if (self == nullptr) return;
        catchAll(*self, [&] { self->refuse(self->control_.forget(self->name_)); });
    });
    return menu;
}

void SoundSection::startRename() {
    field_.setText(name_, false);
    field_.setVisible(true);
    refuse({});
    takeKeyboard(field_);
}

void SoundSection::endRename() {
    field_.setVisible(false);
    takeKeyboard(more_);
}

void SoundSection::refuse(const juce::String& why) {
    refusal_->setText(why);
    if (why.isNotEmpty())
        juce::AccessibilityHandler::postAnnouncement(why,
                                                     juce::AccessibilityHandler::AnnouncementPriority::high);
    if (onLayout) onLayout();
}

bool SoundSection::keyPressed(const juce::KeyPress& key) {
    if (key != juce::KeyPress(juce::KeyPress::escapeKey) || !field_.isVisible()) return false;
    endRename();
    refuse({});
    return true;
}

void SoundSection::resized() {
    SettingsSection::resized();
    if (field_.isVisible()) dressEditor(field_);
}

// What to do, as long as there is something to say about it.
class TeachPanel::IntroSection : public SettingsSection {
  public:
    IntroSection()
        : SettingsSection("Sounds of your own")
        , hint_(addText({}, Caption::Role::text))
        , how_(addText({})) {}

    bool show(const Teaching& teaching) {
        const bool hint = changeText(hint_, teaching.hint);
        return changeText(how_,
                          teaching.sounds.empty()
                              ? "Drag over a sound in the spectrogram and name it to add an example."
                              : "Drag over more occurrences in the spectrogram: every example helps.") ||
               hint;
    }

  private:
    Caption& hint_;
    Caption& how_;
};

class TeachPanel::LearnSection : public SettingsSection {
  public:
    explicit LearnSection(TeachingControl& control)
        : SettingsSection("Training")
        , control_(control) {
        describeWithTooltip(learn_, "Train", "Train on all examples and use the new model");
        learn_.onClick = [this] { act(control_.learn()); };
        addWide(learn_, size::control);
        addWide(progress_, size::control);
        doing_ = &addText({});
        describeWithTooltip(stop_, "Stop training", "Stop and keep the present model");
        stop_.onClick = [this] { control_.stop(); };
        addWide(stop_, size::control);
        outcome_ = &addText({}, Caption::Role::text);
        refusal_ = &addText({}, Caption::Role::trouble);
        describeWithTooltip(undo_, "Undo the last training", "Go back to the previous model");
        undo_.onClick = [this] { act(control_.undo()); };
        addWide(undo_, size::control);
    }

    bool show(const Teaching& teaching) {
        const bool learning = teaching.learning;
        learn_.setEnabled(teaching.canLearn);
        undo_.setEnabled(teaching.canUndo);
        progress_.show("Training", teaching.progress,
                       juce::String(juce::roundToInt(teaching.progress * 100.0)) + " %");
        bool other = changeText(*doing_, learning ? teaching.doing : juce::String());
        other = changeText(*outcome_, learning ? juce::String() : teaching.outcome) || other;
        for (auto* part : {static_cast<juce::Component*>(&progress_), static_cast<juce::Component*>(&stop_)})
            other = reveal(*part, learning) || other;
        return other;
    }

    std::function<void()> onLayout; // Called when its height changed.

  private:
    void act(const juce::String& refusal) {
        refusal_->setText(refusal);
        if (onLayout) onLayout();
    }

    TeachingControl& control_;
    NonThrowing<juce::TextButton> learn_{"Train"};
    NonThrowing<ShareBar> progress_;
    NonThrowing<juce::TextButton> stop_{"Stop"};
    NonThrowing<juce::TextButton> undo_{"Undo the last training"};
    Caption* doing_ = nullptr;
    Caption* outcome_ = nullptr;
    Caption* refusal_ = nullptr;
};

class TeachPanel::CollectionSection : public SettingsSection {
  public:
    explicit CollectionSection(TeachingControl& control)
        : SettingsSection("Collection")
        , control_(control) {
        folder_ = &addText({});
        describeWithTooltip(show_, "Show folder", "Show the folder with the examples");
        show_.onClick = [this] { control_.state().folder.revealToUser(); };
        addWide(show_, size::control);
        describeWithTooltip(open_, "Open another collection", "Use the examples in another folder");
        open_.onClick = [this] { choose(); };
        addWide(open_, size::control);
        refusal_ = &addText({}, Caption::Role::trouble);
        describeWithTooltip(keeps_,
                            "Keep the last ten minutes of live audio, so that you can mark sounds in it",
                            "Needed to use live sounds as examples");
        keeps_.setWantsKeyboardFocus(true);
        keeps_.onClick = [this] { control_.setKeepsAudio(keeps_.getToggleState()); };
        addWide(keeps_, size::control);
        addText("You can then mark sounds in it and add them as examples.");
    }

    bool show(const Teaching& teaching) {
        show_.setEnabled(teaching.folder.isDirectory());
        keeps_.setToggleState(teaching.keepsAudio, juce::dontSendNotification);
        return changeText(*folder_, teaching.folder.getFullPathName());
    }

    std::function<void()> onLayout; // Called when its height changed.

  private:
    void choose() {
        chooser_ = std::make_unique<juce::FileChooser>("Open a collection", control_.state().folder, "*");
        const juce::Component::SafePointer<CollectionSection> self(this);
        chooser_->launchAsync(juce::FileBrowserComponent::openMode |
                                  juce::FileBrowserComponent::canSelectDirectories,
                              [self](const juce::FileChooser& chooser) {
                                  const auto folder = chooser.getResult();
                                  if (self == nullptr || folder == juce::File()) return;
                                  catchAll(*self, [&] { self->open(folder); });
                              });
    }

    void open(const juce::File& folder) {
        refusal_->setText(control_.openCollection(folder));
        if (onLayout) onLayout();
    }

    TeachingControl& control_;
    NonThrowing<juce::TextButton> show_{"Show folder"};
    NonThrowing<juce::TextButton> open_{"Open another..."};
    NonThrowing<juce::ToggleButton> keeps_{"Keep ten minutes of live audio"};
    std::unique_ptr<juce::FileChooser> chooser_;
    Caption* folder_ = nullptr;
    Caption* refusal_ = nullptr;
};

TeachPanel::TeachPanel(Controller& controller, HistoryViewModel& viewModel)
    : SidePanel(viewModel, "Teach", "Close the Teach panel")
    , controller_(controller)
    , viewModel_(viewModel) {
    const auto take = [this](auto section) {
        auto* kept = section.get();
        add(std::move(section));
        return kept;
    };
    intro_ = take(std::make_unique<NonThrowing<IntroSection>>());
    learn_ = take(std::make_unique<NonThrowing<LearnSection>>(controller.teaching()));
    collection_ = take(std::make_unique<NonThrowing<CollectionSection>>(controller.teaching()));
    learn_->onLayout = collection_->onLayout = [this] { resized(); };
    controller_.view().addChangeListener(this);
    refresh();
}

TeachPanel::~TeachPanel() { controller_.view().removeChangeListener(this); }

void TeachPanel::historyChanged(const HistoryViewModel::Changes& changes) {
    if (changes.teaching) refresh();
}

void TeachPanel::refresh() {
    const auto& teaching = viewModel_.teaching();
    bool other = intro_->show(teaching);
    other = learn_->show(teaching) || other;
    other = showSounds(teaching.sounds) || other;
    other = collection_->show(teaching) || other;
    if (other) resized();
}

// A section stays as long as its sound does, with a name that is being typed.
bool TeachPanel::showSounds(const std::vector<TaughtSound>& sounds) {
    bool other = false;
    std::erase_if(sounds_, [&](SoundSection* section) {
        if (std::ranges::find(sounds, section->name(), &TaughtSound::name) != sounds.end()) return false;
        remove(*section);
        return other = true;
    });
    for (std::size_t i = 0; i < sounds.size(); ++i) {
        if (i < sounds_.size() && sounds_[i]->name() == sounds[i].name) {
            other = sounds_[i]->show(sounds[i]) || other;
            continue;
        }
        auto section = std::make_unique<NonThrowing<SoundSection>>(controller_, sounds[i]);
        section->onLayout = [this] { resized(); };
        sounds_.insert(sounds_.begin() + static_cast<std::ptrdiff_t>(i), section.get());
        insert(firstSound + i, std::move(section));
        other = true;
    }
    return other;
}

} // namespace earshot::ui
