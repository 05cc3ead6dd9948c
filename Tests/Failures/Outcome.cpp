#include "Failures/Outcome.h"

#include "Core/Base/Error.h"
#include "Failures/Faults.h"
#include "Support/AudioMaker.h"

#include <exception>
#include <new>

namespace earshot::faults {

__attribute__((noinline)) void invoke(const Scenario& scenario, Outcome& outcome) {
    beginStackAt(__builtin_frame_address(0));
    try {
        const Found found = scenario.run();
        outcome.kind = Outcome::success;
        outcome.text = hashOf(found.text);
        std::string failures;
        for (const auto& failure : found.failures) failures += failure + '\n';
        outcome.say(failures);
    } catch (const Error& error) {
        outcome.kind = Outcome::error;
        outcome.say(error.what());
    } catch (const std::bad_alloc&) {
        outcome.kind = Outcome::memory;
    } catch (const std::exception& error) {
        outcome.kind = Outcome::foreign;
        outcome.say(error.what());
    } catch (...) {
        outcome.kind = Outcome::foreign;
        outcome.say("something that is no std::exception");
    }
}

Tree treeOf(const std::filesystem::path& folder) {
    Tree tree;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const auto name = entry.path().lexically_relative(folder).generic_string();
        tree[entry.is_directory() ? name + '/' : name] =
            entry.is_directory() ? std::string() : test::readBytes(entry.path());
    }
    return tree;
}

} // namespace earshot::faults
