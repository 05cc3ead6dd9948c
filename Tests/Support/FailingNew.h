// Makes operator new fail on this thread, for callbacks that must survive it.
//
//     for (int nth = 1;; ++nth) {
//         test::FailingNew failing(nth);
//         processor.prepareToPlay(48000.0, 512);
//         if (!failing.failed()) break; // it needs fewer than that
//     }
//
// Replaces the program's operator new. Sanitizers have their own, so with them available() is false and
// nothing fails.
#pragma once

namespace earshot::test {

class FailingNew {
  public:
    explicit FailingNew(int nth); // the nth allocation from now on fails, and no other
    ~FailingNew();
    FailingNew(const FailingNew&) = delete;
    FailingNew& operator=(const FailingNew&) = delete;

    static bool available();
    bool failed() const;
};

} // namespace earshot::test
