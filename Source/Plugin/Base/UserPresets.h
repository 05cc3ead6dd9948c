// The user's own presets: a file in the user's settings folder with one preset on each line, as JSON. A line
// that cannot be read, as a damaged one or one of a newer version, stays as it is and costs no other preset.
// Message thread.
#pragma once

#include "Ui/Control/PresetControl.h"

#include <functional>
#include <string>
#include <vector>

namespace earshot::plugin {

class UserPresets : public ui::PresetControl {
  public:
    static constexpr std::size_t maxPresets = 500;

    // The file; it need not exist.
    static juce::File file();

    const std::vector<ui::Preset>& own() override;
    void look() override;
    juce::String save(const ui::Preset& preset) override;
    juce::String rename(const std::string& from, const std::string& name) override;
    juce::String remove(const std::string& name) override;

  private:
    // Reads the lines, lets `edit` change them, and stores them. Returns what failed.
    juce::String change(const std::function<void(std::vector<std::string>&)>& edit);

    std::vector<ui::Preset> own_;
    bool isRead_ = false;
};

} // namespace earshot::plugin
