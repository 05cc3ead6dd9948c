// A reference to a private base class. JUCE calls objects through it (a timer, a change listener), and so do
// tests.
#pragma once

namespace earshot::test {

template <typename Base, typename Class>
Base& privateBase(Class& object) {
    return (Base&)object; // NOLINT(google-readability-casting): the one cast that may
}

} // namespace earshot::test
