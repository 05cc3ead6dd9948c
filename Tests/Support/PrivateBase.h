// A class as what it privately is: JUCE calls it so (a timer, a change listener), and tests in JUCE's place.
#pragma once

namespace earshot::test {

template <typename Base, typename Class>
Base& privateBase(Class& object) {
    return (Base&)object; // NOLINT(google-readability-casting): the one cast that may
}

} // namespace earshot::test
