#include "Ui/Panels/Drops.h"

namespace earshot::ui {

namespace {

constexpr const char* models = "safetensors;ckpt;pth;pt";
constexpr const char* recordings = "wav;wave;bwf;rf64;w64;aif;aiff;aifc;flac;ogg;oga;opus;mp3;caf;au;snd";

juce::String pattern(const char* extensions) { return "*." + juce::String(extensions).replace(";", ";*."); }

juce::File firstWith(const juce::StringArray& files, const char* extensions) {
    for (const auto& path : files)
        if (juce::File::isAbsolutePath(path))
            if (juce::File file(path); file.hasFileExtension(extensions)) return file;
    return {};
}

} // namespace

Drop dropOf(const juce::StringArray& files, bool lists, bool teaches) {
    const auto others = files.size() > 1 ? juce::String(" (one file at a time)") : juce::String();
    if (const auto file = firstWith(files, models); file != juce::File())
        return {Drop::Kind::model, file, "Use " + file.getFileName() + " as the model" + others};
    if (teaches && files.size() == 1 && juce::File::isAbsolutePath(files[0]))
        if (const juce::File folder(files[0]); !folder.hasFileExtension(recordings))
            return {Drop::Kind::examples, folder, "Add the examples in " + folder.getFileName()};
    if (lists) {
        juce::StringArray paths;
        for (const auto& path : files)
            if (juce::File::isAbsolutePath(path)) paths.add(path);
        const auto first = paths.isEmpty() ? juce::File() : juce::File(paths[0]);
        if (paths.size() > 1)
            return {Drop::Kind::recordings,
                    {},
                    "List these " + juce::String(paths.size()) + " files or folders",
                    paths};
        if (first != juce::File() && !first.hasFileExtension(recordings))
            return {Drop::Kind::recordings, {}, "Analyse the recordings in " + first.getFileName(), paths};
    }
    if (const auto file = firstWith(files, recordings); file != juce::File())
        return {Drop::Kind::recording, file, "Listen to " + file.getFileName() + others};
    return {Drop::Kind::nothing,
            {},
            "Drop a recording (WAV, AIFF, FLAC, Ogg, MP3) or a model (.safetensors, .ckpt, .pth, .pt)"};
}

juce::String recordingPattern() { return pattern(recordings); }
juce::String modelPattern() { return pattern(models); }

DropOverlay::DropOverlay() { setInterceptsMouseClicks(false, false); }

void DropOverlay::show(const Drop& drop) {
    drop_ = drop;
    describe(*this, drop.words);
    setVisible(true);
    toFront(false);
    repaint();
}

void DropOverlay::paint(juce::Graphics& graphics) {
    const auto& palette = Theme::of(*this);
    graphics.fillAll(palette.background.withAlpha(0.82f));
    const auto area = getLocalBounds().toFloat().reduced(static_cast<float>(size::margin));
    const bool taken = drop_.kind != Drop::Kind::nothing;
    juce::Path frame;
    frame.addRoundedRectangle(area, size::corner + 4.0f);
    const float dashes[] = {8.0f, 6.0f};
    juce::Path dashed;
    juce::PathStrokeType(2.0f).createDashedStroke(dashed, frame, dashes, 2);
    graphics.setColour(taken ? palette.accent : palette.secondary);
    graphics.fillPath(dashed);
    graphics.setColour(palette.text);
    graphics.setFont(Theme::font(17.0f, taken));
    graphics.drawFittedText(drop_.words, area.reduced(24.0f).toNearestInt(), juce::Justification::centred, 3);
}

} // namespace earshot::ui
