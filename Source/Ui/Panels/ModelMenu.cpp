#include "Ui/Panels/ModelMenu.h"

#include "Ui/Safe.h"

#include <cmath>

namespace earshot::ui {

ModelButton::ModelButton(Controller& controller)
    : juce::Button("Model")
    , controller_(controller) {
    describe(*this, "Model");
}

void ModelButton::setModel(const juce::String& words, const juce::String& help) {
    if (words == text_ && help == getTooltip()) return;
    text_ = words;
    describeWithTooltip(*this, "Model: " + words, help);
    repaint();
}

int ModelButton::idealWidth() const {
    return static_cast<int>(std::ceil(static_cast<double>(Theme::textWidth(Theme::font(12.0f), text_)))) + 42;
}

juce::PopupMenu ModelButton::menu() {
    juce::PopupMenu menu;
    const juce::Component::SafePointer<ModelButton> self(this);
    menu.addItem("Load a model...", [self] {
        if (self != nullptr && self->onLoad) guarded(*self, [&] { self->onLoad(); });
    });
    menu.addItem("Default model", [self] {
        if (self != nullptr) guarded(*self, [&] { self->controller_.loadDefaultModel(); });
    });
    const auto recent = controller_.recentModels();
    if (!recent.isEmpty()) menu.addSeparator();
    for (const auto& file : recent) {
        const bool there = file.existsAsFile();
        menu.addItem(file.getFileNameWithoutExtension() + (there ? "" : " (missing)"), there, false,
                     [self, file] {
                         if (self != nullptr) guarded(*self, [&] { self->controller_.loadModel(file); });
                     });
    }
    return menu;
}

void ModelButton::clicked() { showMenu(menu(), *this); }

void ModelButton::paintButton(juce::Graphics& graphics, bool highlighted, bool down) {
    const auto& palette = Theme::of(*this);
    getLookAndFeel().drawButtonBackground(graphics, *this, findColour(juce::TextButton::buttonColourId),
                                          highlighted, down);
    auto area = getLocalBounds().toFloat().reduced(12.0f, 0.0f);
    const auto centre = area.removeFromRight(8.0f).getCentre();
    juce::Path arrow;
    arrow.addTriangle(centre.translated(-3.5f, -2.0f), centre.translated(3.5f, -2.0f),
                      centre.translated(0.0f, 3.0f));
    graphics.setColour(palette.secondary);
    graphics.fillPath(arrow);
    graphics.setColour(palette.text);
    graphics.setFont(Theme::font(12.0f));
    graphics.drawText(text_, area.withTrimmedRight(6.0f), juce::Justification::centredLeft, true);
}

} // namespace earshot::ui
