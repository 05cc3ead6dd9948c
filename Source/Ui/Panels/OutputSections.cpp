#include "Ui/Panels/OutputSections.h"

#include "Ui/ParameterIds.h"

namespace earshot::ui {

namespace {

constexpr int tableHeight = 214;

} // namespace

MidiSection::MidiSection(Controller& controller, HistoryViewModel& viewModel)
    : SettingsSection("MIDI")
    , notes_(controller.outputs(), viewModel) {
    describeWithTooltip(on_, "MIDI out",
                        "A note lasts as long as its sound; its velocity is "
                        "the probability");
    on_.setWantsKeyboardFocus(true);
    if (auto* parameter = controller.parameters().getParameter(parameter::midiOut))
        attachment_ = std::make_unique<juce::ButtonParameterAttachment>(*parameter, on_);
    addWide(on_, size::control);
    describeWithTooltip(search_, "Find a sound's note", "List the sounds of this name or group");
    search_.setEscapeAndReturnKeysConsumed(false);
    search_.onTextChange = [this] {
        catchAll(*this, [this] { notes_.setSearch(search_.getText().trim()); });
    };
    addWide(search_, size::control);
    addWide(notes_, tableHeight);
    describeWithTooltip(reset_, "Reset all notes", "Reset every sound to its default note");
    reset_.onClick = [this] { notes_.reset(); };
    addWide(reset_, size::control);
    refresh();
}

MidiSection::~MidiSection() = default;

void MidiSection::refresh() {
    dressEditor(search_, juce::String(juce::CharPointer_UTF8("Find a sound…")));
    notes_.refresh();
}

OscSection::OscSection(OutputControl& outputs)
    : SettingsSection("OSC")
    , outputs_(outputs) {
    for (auto* toggle : {&on_, &activation_}) {
        toggle->setWantsKeyboardFocus(true);
        toggle->onClick = [this] { send(); };
    }
    describeWithTooltip(on_, "OSC out", "Send /earshot/event to this address when a sound ends");
    describeWithTooltip(activation_, "OSC activation", "Send /earshot/activation several times a second");
    describeWithTooltip(host_, "OSC host", "Host name or address; 127.0.0.1 is this computer");
    describeWithTooltip(port_, "OSC port", "1 to 65535");
    port_.setInputRestrictions(5, "0123456789");
    describeWithTooltip(name_, "Name of this instance",
                        "Identifies this instance in OSC messages and the event log. If empty, the track "
                        "name is used where the host provides it, otherwise a number");
    for (auto* editor : {&host_, &port_, &name_}) {
        editor->setEscapeAndReturnKeysConsumed(false);
        editor->onReturnKey = [this] { send(); };
        editor->onFocusLost = [this] { send(); };
    }
    addWide(on_, size::control);
    addRow("Host", host_, 200);
    addRow("Port", port_, 80);
    addRow("Name", name_, 200);
    addWide(activation_, size::control);
    addWide(allow_, size::control);
    allow_.setVisible(false);
    allow_.onClick = [this] {
        outputs_.allowHost();
        refresh();
    };
    problem_ = &addText({}, Caption::Role::trouble);
    refresh();
}

OscSection::~OscSection() = default;

void OscSection::refresh() {
    const auto settings = outputs_.settings();
    on_.setToggleState(settings.osc, juce::dontSendNotification);
    activation_.setToggleState(settings.oscActivation, juce::dontSendNotification);
    if (!host_.hasKeyboardFocus(true)) host_.setText(settings.oscHost, false);
    if (!port_.hasKeyboardFocus(true)) port_.setText(juce::String(settings.oscPort), false);
    if (!name_.hasKeyboardFocus(true)) name_.setText(settings.instance, false);
    dressEditor(host_);
    dressEditor(port_);
    dressEditor(name_, "Track or number");
    if (showProblem(outputs_.problem()) && onLayout) onLayout();
}

bool OscSection::showProblem(const juce::String& problem) {
    const auto host = outputs_.hostToAllow();
    if (problem == problem_->text() && allow_.isVisible() == host.isNotEmpty()) return false;
    problem_->setText(problem);
    allow_.setVisible(host.isNotEmpty());
    allow_.setButtonText("Allow sending to " + host);
    describeWithTooltip(allow_, "Allow sending to " + host,
                        "Allow results to be sent to " + host + " from every project you open");
    return true;
}

void OscSection::send() {
    auto settings = outputs_.settings();
    settings.osc = on_.getToggleState();
    settings.oscActivation = activation_.getToggleState();
    if (host_.getText().trim().isNotEmpty()) settings.oscHost = host_.getText().trim();
    settings.instance = name_.getText().trim();
    const int port = port_.getText().getIntValue();
    if (port >= 1 && port <= 65535) settings.oscPort = port;
    if (settings != outputs_.settings()) outputs_.set(settings);
    refresh();
}

} // namespace earshot::ui
