// The desktop app's settings in one file: the plugin's state, the audio device and the window's place.
// Several apps may run: each stores what was changed in it and keeps what another one has stored meanwhile,
// also what a newer version stored. A file that cannot be read is moved aside and not replaced. Message
// thread.
#pragma once

#include "Plugin/State/PluginState.h"

#include <juce_core/juce_core.h>
#include <juce_data_structures/juce_data_structures.h>

#include <set>
#include <string>

namespace earshot::plugin {

class AppSettings {
  public:
    static constexpr int rest = 3; // seconds without a change before it is stored

    // The file in the user's settings folder; it need not exist.
    static juce::File usualFile();

    explicit AppSettings(const juce::File& file);

    // The stored state as JSON; empty: none.
    std::string storedState() const;
    // The state as the app took it from there. What differs from it later was changed in this app.
    void begin(const PluginState& state);
    void set(const PluginState& state);
    juce::String get(const juce::String& name) const { return values_.getValue(name); }
    void set(const juce::String& name, const juce::String& value);

    // Called once a second, stores what was changed when it is at rest.
    void follow();
    // Stores it now.
    void store();
    // Why it is not stored or not read, and what to do; empty: all is well.
    juce::String problem() const { return problem_.isEmpty() ? aside_ : problem_; }

  private:
    void write();

    juce::File file_;
    juce::PropertySet values_;
    std::set<juce::String> changed_; // names of values
    PluginState before_;             // when it last equalled the stored one
    PluginState state_;
    int calm_ = 0;         // seconds since a change
    juce::String problem_; // with storing
    juce::String aside_;   // says where an unreadable file is now
};

} // namespace earshot::plugin
