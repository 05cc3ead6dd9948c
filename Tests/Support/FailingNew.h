// Makes operator new fail on this thread: an allocator that throws, for callbacks that must bear it.
//
//     for (int nth = 1;; ++nth) {
//         test::FailingNew failing(nth);
//         processor.prepareToPlay(48000.0, 512);
//         if (!failing.failed()) break; // it needs fewer than that
//     }
//
// Replaces the program's operator new, without sanitizers, which do the same; elsewhere available() is false
// and nothing ever fails.
#pragma once

namespace earshot::test {

class FailingNew {
  public:
    explicit FailingNew(int nth); // the nth allocation from now on, and no other
    ~FailingNew();
    FailingNew(const FailingNew&) = delete;
    FailingNew& operator=(const FailingNew&) = delete;

    static bool available();
    bool failed() const;
};

} // namespace earshot::test
