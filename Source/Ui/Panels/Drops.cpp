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

Drop dropOf(const juce::StringArray& files) {
    const auto others = files.size() > 1 ? juce::String(" (one file at a time)") : juce::String();
    if (const auto file = firstWith(files, models); file != juce::File())
        return {Drop::Kind::model, file, "Use " + file.getFileName() + " as the model" + others};
    if (const auto file = firstWith(files, recordings); file != juce::File())
        return {Drop::Kind::recording, file, "Listen to " + file.getFileName() + others};
    return {Drop::Kind::nothing,
            {},
            "Drop a recording (WAV, AIFF, FLAC, Ogg, MP3) or a model (.safetensors, .ckpt, .pth, .pt)"};
}

juce::String recordingPattern() { return pattern(recordings); }
juce::String modelPattern() { return pattern(models); }

} // namespace earshot::ui
