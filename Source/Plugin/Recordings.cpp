#include "Plugin/Recordings.h"

#include "Core/Audio/AudioFile.h"
#include "Core/Base/Clock.h"
#include "Core/Base/Error.h"
#include "Core/Base/Platform/System.h"
#include "Core/Base/Unicode.h"
#include "Core/Batch/Batch.h"
#include "Core/Batch/BatchModel.h"
#include "Core/Detection/Events/Boxes.h"
#include "Core/Detection/Windows/CalibrationAudio.h"
#include "Core/Model/ModelLocator.h"
#include "Core/Tensor/Threads.h"
#include "Ui/Panels/Widgets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace earshot::plugin {

namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

// How often what changes is copied for the views.
constexpr std::chrono::milliseconds rowsEvery{200};
constexpr std::chrono::seconds eventsEvery{1};
constexpr std::chrono::milliseconds searchPoll{50};
// A pass of the network that runs is waited for so long, and a disk that does not answer as well.
constexpr std::chrono::seconds endPatience{10};
constexpr std::chrono::milliseconds endPoll{5};
constexpr double latestMoment = 1e9; // seconds; a folder of results may be a stranger's

std::string countOf(std::size_t number, const char* what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

// Messages name options of the command line last, where there are any. They mean nothing here.
std::string withoutOptions(const std::string& message) { return message.substr(0, message.find(", or --")); }

fs::path tidied(const fs::path& given) {
    const auto path = fs::absolute(given).lexically_normal();
    return path.has_filename() ? path : path.parent_path();
}

// Beside the folder; empty where there is no such place.
fs::path proposedResults(const fs::path& folder) {
    if (!folder.has_filename()) return {};
    auto name = folder.filename();
    name += " earshot results";
    return folder.parent_path() / name;
}

// A folder that the user has not chosen is not shared with other files.
void refuseStrangers(const fs::path& results) {
    std::error_code failure;
    if (!fs::exists(results, failure) || fs::exists(batch::Journal::fileIn(results), failure)) return;
    if (!fs::is_directory(results, failure) || !fs::is_empty(results, failure))
        throw Error(displayName(results) +
                    ": is there and is not Earshot's; choose another folder for the results");
}

// 0 if it cannot be told.
double lengthOf(const fs::path& recording) {
    try {
        const audio::AudioFile file(recording);
        return static_cast<double>(file.frames()) / file.sampleRate();
    } catch (const Error&) {
        return 0.0;
    }
}

batch::RuleNames namesOf(const ChosenRules& chosen, const detection::RuleChoice& rules,
                         const detection::Labels& labels, bool byConfidence) {
    batch::RuleNames names{.minDuration = rules.minDuration, .mergeGap = rules.mergeGap};
    if (byConfidence) { // nothing else counts
        names.confidence = "auto";
        return names;
    }
    names.median = rules.median;
    if (rules.threshold != detection::defaultThreshold)
        names.threshold = fmt::format("the model's, moved to {}", rules.threshold);
    if (rules.release != detection::defaultRelease)
        names.release = fmt::format("the model's, moved to {} of the threshold", rules.release);
    std::vector<std::string> own;
    for (const auto& [name, threshold] : chosen.classThresholds)
        if (labels.find(name)) own.push_back(fmt::format("{}={}", name, threshold));
    if (!own.empty()) names.classThresholds = fmt::format("{}", fmt::join(own, ", "));
    return names;
}

struct ListRow {
    batch::Input input;
    ui::ListedRecording shown;
};

const std::string& nameOfRow(const ListRow& row) { return row.input.name; }

struct WantedBatch {
    HowToListen how;
    bool again = false;
};

// A dropped folder, or that of dropped files. Its recordings have one folder of results.
struct DroppedFolder {
    fs::path folder;
    fs::path results;   // empty: the user has to choose
    bool whole = false; // the folder itself was dropped
    bool resultsChosen = false;
    bool otherSettings = false; // its results were made with
    std::optional<WantedBatch> wanted = std::nullopt;
    std::vector<ListRow> rows = {}; // by name

    ListRow* find(const std::string& name) {
        const auto row = std::ranges::lower_bound(rows, name, {}, nameOfRow);
        return row != rows.end() && row->input.name == name ? &*row : nullptr;
    }
};

} // namespace

// All functions but those that say so lock the mutex themselves.
struct Recordings::Shared {
    mutable std::mutex mutex; // guards the members below
    std::vector<DroppedFolder> folders;
    int lastId = 0;
    int searches = 0;     // that run
    bool runs = false;    // the batch's thread
    bool hearing = false; // it hears
    fs::path current;     // the dropped folder that it hears
    double progress = 0.0;
    std::string doing, hint;
    std::vector<ui::ListedEvent> events;
    std::vector<std::string> sounds; // names
    std::map<std::string, int> soundPlaces;
    bool boxes = false;
    // What view() gives, until it has changed and some time has passed.
    bool rowsChanged = false, eventsChanged = false;
    SteadyClock::time_point rowsMade, eventsMade;
    std::shared_ptr<const std::vector<ui::ListedRecording>> rowsShown;
    std::shared_ptr<const ui::ListedEvents> eventsShown;

    void say(const std::string& text) {
        const std::scoped_lock lock(mutex);
        hint = text;
    }

    // Call these with the mutex locked.
    DroppedFolder* find(const fs::path& folder);
    void forgetEvents(const std::set<int>& ids);
    void listEvents(int id, const std::vector<formats::TimedEvent>& found);
    void rest();
    void showRows();
    void showEvents();

    void search(const std::vector<fs::path>& paths, const HowToListen& how, const StopToken& stop);
    void look(const fs::path& path, const HowToListen& how);
    void take(const fs::path& folder, std::vector<batch::Input> inputs, const HowToListen& how);
    void takeFile(const fs::path& folder, batch::Input input);
    void measure(const StopToken& stop);

    void run(const StopToken& stop);
    bool hearNext(std::string& problems, const StopToken& stop);
    void hear(const fs::path& folder, const WantedBatch& wanted, const StopToken& stop);
    batch::BatchRequest requestFor(const fs::path& folder);
    void begin(const fs::path& folder);
    void record(const fs::path& folder, const batch::JournalEntry& entry);
    void note(const fs::path& folder, const batch::BatchProgress& now);
    std::string conclusion() const; // with the mutex locked
};

DroppedFolder* Recordings::Shared::find(const fs::path& folder) {
    const auto found = std::ranges::find(folders, folder, &DroppedFolder::folder);
    return found == folders.end() ? nullptr : &*found;
}

void Recordings::Shared::forgetEvents(const std::set<int>& ids) {
    if (std::erase_if(events, [&](const auto& event) { return ids.contains(event.recording); }) > 0)
        eventsChanged = true;
    if (events.empty()) boxes = false;
}

void Recordings::Shared::listEvents(int id, const std::vector<formats::TimedEvent>& found) {
    for (const auto& event : found) {
        if (!(event.onset >= 0.0 && event.offset >= event.onset && event.offset < latestMoment)) continue;
        if (events.size() >= ui::ListedEvents::most) break;
        const auto [place, isNew] = soundPlaces.try_emplace(event.label, static_cast<int>(sounds.size()));
        if (isNew) sounds.push_back(event.label);
        events.push_back({id, place->second, event.onset, event.offset, formats::certainty(event)});
        boxes = boxes || event.confidence > 0.0f;
    }
    if (!found.empty()) eventsChanged = true;
}

// No recording is heard any more.
void Recordings::Shared::rest() {
    hearing = false;
    current.clear();
    doing.clear();
    for (auto& folder : folders)
        for (auto& row : folder.rows)
            if (row.shown.state == ui::ListedRecording::State::hearing)
                row.shown.state = ui::ListedRecording::State::waiting;
    rowsChanged = true;
    rowsMade = eventsMade = {};
}

void Recordings::Shared::showRows() {
    const auto now = SteadyClock::now();
    if (!rowsChanged || now - rowsMade < rowsEvery) return;
    auto rows = std::make_shared<std::vector<ui::ListedRecording>>();
    for (const auto& folder : folders)
        for (const auto& row : folder.rows) rows->push_back(row.shown);
    rowsShown = std::move(rows);
    rowsChanged = false;
    rowsMade = now;
}

void Recordings::Shared::showEvents() {
    const auto now = SteadyClock::now();
    if (!eventsChanged || now - eventsMade < eventsEvery) return;
    auto shown = std::make_shared<ui::ListedEvents>();
    shown->sounds = sounds;
    shown->events = events;
    shown->boxes = boxes;
    std::int64_t all = 0;
    for (const auto& folder : folders)
        for (const auto& row : folder.rows) all += row.shown.events;
    shown->more = std::max<std::int64_t>(0, all - std::ssize(events));
    eventsShown = std::move(shown);
    eventsChanged = false;
    eventsMade = now;
}

void Recordings::Shared::search(const std::vector<fs::path>& paths, const HowToListen& how,
                                const StopToken& stop) {
    struct Searching {
        Shared& shared;
        explicit Searching(Shared& owner)
            : shared(owner) {}
        ~Searching() {
            const std::scoped_lock lock(shared.mutex);
            --shared.searches;
        }
        Searching(const Searching&) = delete;
        Searching& operator=(const Searching&) = delete;
    };
    {
        const Searching searching(*this);
        for (const fs::path& path : paths) {
            stop.check();
            try {
                look(path, how);
            } catch (const Error& error) {
                say(error.what());
            } catch (const fs::filesystem_error&) {
                say(displayName(path) + ": cannot be searched; check that its disk is connected");
            }
        }
    }
    measure(stop);
}

void Recordings::Shared::look(const fs::path& path, const HowToListen& how) {
    std::error_code failure;
    const auto status = fs::status(path, failure);
    if (!fs::exists(status))
        throw Error(displayName(path) + ": cannot be found; check that its disk is connected");
    const bool isFolder = fs::is_directory(status);
    if (!isFolder && !batch::hasAudioExtension(path))
        throw Error(displayName(path.filename()) +
                    ": is neither a recording (WAV, FLAC, MP3, OGG...) nor a folder of recordings");
    const auto whole = tidied(path);
    auto inputs = batch::findInputs({}, std::vector<std::string>{whole.string()});
    if (isFolder)
        take(whole, std::move(inputs), how);
    else if (!inputs.empty())
        takeFile(whole.parent_path(), std::move(inputs.front()));
}

// Lists a folder that was dropped. Recordings that are listed already keep what is known of them.
void Recordings::Shared::take(const fs::path& place, std::vector<batch::Input> inputs,
                              const HowToListen& how) {
    const std::scoped_lock lock(mutex);
    if (find(place) == nullptr) folders.push_back({place, proposedResults(place)});
    batch::sortByName(inputs);
    std::map<fs::path, ui::ListedRecording> known;
    std::set<fs::path> found;
    for (const auto& input : inputs) found.insert(input.path);
    std::set<int> changed; // they are gone, or have another folder of results now
    for (auto& folder : folders) {
        const bool same = folder.folder == place;
        std::erase_if(folder.rows, [&](const ListRow& row) {
            const bool stays = found.contains(row.input.path);
            if (!same && !stays) return false;
            if (same != stays) changed.insert(row.shown.id);
            if (stays) known[row.input.path] = row.shown;
            return true;
        });
    }
    forgetEvents(changed);
    auto& folder = *find(place);
    folder.whole = true;
    for (auto& input : inputs) {
        ui::ListedRecording shown;
        if (const auto before = known.find(input.path); before != known.end()) shown = before->second;
        if (shown.id == 0 || changed.contains(shown.id)) {
            const int id = shown.id == 0 ? ++lastId : shown.id;
            const double seconds = shown.seconds;
            shown = {};
            shown.id = id;
            shown.seconds = seconds;
        }
        shown.file = juce::File(ui::toText(input.path.string()));
        shown.name = ui::toText(displayText(input.name));
        shown.results = juce::File(ui::toText(folder.results.string()));
        if (input.problem) {
            shown.state = ui::ListedRecording::State::failed;
            shown.why = ui::toText(*input.problem);
        }
        folder.rows.push_back({std::move(input), std::move(shown)});
    }
    folder.wanted = WantedBatch{how, false};
    std::erase_if(folders, [&](const DroppedFolder& each) { return each.rows.empty(); });
    rowsChanged = true;
}

void Recordings::Shared::takeFile(const fs::path& place, batch::Input input) {
    const std::scoped_lock lock(mutex);
    for (const auto& folder : folders)
        if (std::ranges::any_of(folder.rows,
                                [&](const ListRow& row) { return row.input.path == input.path; }))
            return;
    if (find(place) == nullptr) folders.push_back({place, proposedResults(place)});
    auto& folder = *find(place);
    ui::ListedRecording shown;
    shown.id = ++lastId;
    shown.file = juce::File(ui::toText(input.path.string()));
    shown.name = ui::toText(displayText(input.name));
    shown.results = juce::File(ui::toText(folder.results.string()));
    const auto at = std::ranges::lower_bound(folder.rows, input.name, {}, nameOfRow);
    folder.rows.insert(at, {std::move(input), std::move(shown)});
    rowsChanged = true;
}

// Reads the lengths of all that are listed.
void Recordings::Shared::measure(const StopToken& stop) {
    std::vector<std::pair<int, fs::path>> unknown;
    {
        const std::scoped_lock lock(mutex);
        for (const auto& folder : folders)
            for (const auto& row : folder.rows)
                if (row.shown.seconds == 0.0 && !row.input.problem)
                    unknown.emplace_back(row.shown.id, row.input.path);
    }
    std::map<int, double> lengths;
    const auto keep = [&] {
        const std::scoped_lock lock(mutex);
        for (auto& folder : folders)
            for (auto& row : folder.rows)
                if (const auto length = lengths.find(row.shown.id); length != lengths.end())
                    row.shown.seconds = length->second;
        rowsChanged = true;
        lengths.clear();
    };
    auto kept = SteadyClock::now();
    for (const auto& [id, path] : unknown) {
        stop.check();
        if (const double length = lengthOf(path); length > 0.0) lengths[id] = length;
        if (SteadyClock::now() - kept < rowsEvery) continue;
        keep();
        kept = SteadyClock::now();
    }
    keep();
}

void Recordings::Shared::run(const StopToken& stop) {
    std::string problems;
    std::string ending;
    try {
        platform::yieldToOthers();
        while (hearNext(problems, stop)) {
        }
        return;
    } catch (const Stopped&) {
        ending = "Stopped. What was heard stays: Analyse all goes on from there.";
    } catch (const std::bad_alloc&) {
        ending = "There is not enough memory: close other programs and try again";
    } catch (const std::exception& error) {
        ending = error.what();
    }
    const std::scoped_lock lock(mutex);
    for (auto& folder : folders) folder.wanted.reset();
    rest();
    runs = false;
    hint = ending;
}

// Hears the next folder. Returns false if there is none, and none is searched for.
bool Recordings::Shared::hearNext(std::string& problems, const StopToken& stop) {
    WantedBatch wanted;
    fs::path place;
    {
        const std::scoped_lock lock(mutex);
        const auto next =
            std::ranges::find_if(folders, [](const auto& folder) { return folder.wanted.has_value(); });
        if (next == folders.end()) {
            if (hearing) {
                rest();
                hint = problems.empty() ? conclusion() : problems;
                problems.clear();
            }
            runs = searches > 0;
            if (!runs) return false;
        } else {
            wanted = *std::exchange(next->wanted, std::nullopt);
            current = place = next->folder;
            hearing = true;
            progress = 0.0;
            doing = "Loading the model";
            next->otherSettings = false;
        }
    }
    if (place.empty()) {
        stop.check();
        std::this_thread::sleep_for(searchPoll);
        return true;
    }
    const auto add = [&](const std::string& problem) {
        problems += (problems.empty() ? "" : "\n") + problem;
    };
    try {
        hear(place, wanted, stop);
    } catch (const batch::SettingsError& error) {
        const std::scoped_lock lock(mutex);
        if (auto* folder = find(place)) {
            folder->otherSettings = true;
            add(fmt::format("{}: these results were made with other settings ({}). Analyse again replaces "
                            "them, or choose another folder for the results.",
                            displayName(folder->results), error.differences));
        }
    } catch (const Error& error) {
        add(withoutOptions(error.what()));
    } catch (const fs::filesystem_error& error) {
        add(fmt::format("{}: {}; check that its disk is connected", displayName(error.path1()),
                        error.code().message()));
    }
    return true;
}

// Looks at the disk without the mutex, for which the message thread waits.
batch::BatchRequest Recordings::Shared::requestFor(const fs::path& place) {
    batch::BatchRequest request;
    std::unique_lock lock(mutex);
    const auto* folder = find(place);
    if (folder == nullptr) return request;
    if (folder->results.empty())
        throw Error(displayName(place) + ": has no folder beside it; choose one for the results");
    request.folder = folder->results;
    for (const auto& row : folder->rows) request.inputs.push_back(row.input);
    if (folder->whole) request.roots = {place};
    const bool chosen = folder->resultsChosen;
    lock.unlock();
    if (!chosen) refuseStrangers(request.folder);
    return request;
}

void Recordings::Shared::hear(const fs::path& place, const WantedBatch& wanted, const StopToken& stop) {
    auto request = requestFor(place);
    if (request.inputs.empty()) return;
    const HowToListen& how = wanted.how;
    const auto file = how.model.empty() ? model::defaultModel() : how.model;
    const auto weights = detection::loadWeights(file, model::Precision::automatic, stop);
    const auto model = detection::makeListeningModel(weights, how.words, stop);
    if (!model.notice.empty()) throw Error(model.notice);
    if (model.labels.count() == 0)
        throw Error(displayName(file.filename()) +
                    ": has no sounds of its own; type what to listen for first, then analyse");
    const auto rules = how.rules.of(model.labels, model.secondsPerToken());
    batch::BatchListening listening{.mode = how.mode,
                                    .hop = detection::usualHop(model.shape, how.mode),
                                    .events = detection::eventSettings(rules, model.labels)};
    const auto boxes = how.byConfidence ? model.labels.boxes() : nullptr;
    if (boxes) detection::useBoxes(listening.events, boxes, boxes->leastConfidence());
    request.outputs = {batch::documentKind(*formats::formatNamed("csv"))};
    request.model = batch::describeModel(model, stop);
    request.fingerprint = batch::fingerprint(model, request.model, listening,
                                             namesOf(how.rules, rules, model.labels, boxes != nullptr));
    request.threads = std::max(1, tensor::availableCores() / 2);
    request.restart = wanted.again;
    request.readFiles = {weights->file()};
    if (const auto labels = detection::labelFileBeside(weights->file())) request.readFiles.push_back(*labels);
    request.recorded = [this, place](const batch::JournalEntry& entry) { record(place, entry); };

    batch::Batch work(std::move(request));
    stop.check();
    begin(place);
    work.eachDone([&](const batch::JournalEntry& entry) { record(place, entry); });
    const auto summary =
        work.run(batch::makeDetector(model, listening), [&](const batch::BatchProgress& now) {
            note(place, now);
            return !stop.requested();
        });
    if (summary.stopped) throw Stopped();
}

void Recordings::Shared::begin(const fs::path& place) {
    const std::scoped_lock lock(mutex);
    auto* folder = find(place);
    if (folder == nullptr) return;
    std::set<int> ids;
    for (auto& row : folder->rows) {
        ids.insert(row.shown.id);
        row.shown.state = ui::ListedRecording::State::waiting;
        row.shown.events = 0;
        row.shown.why = {};
    }
    forgetEvents(ids);
    rowsChanged = true;
}

void Recordings::Shared::record(const fs::path& place, const batch::JournalEntry& entry) {
    const std::scoped_lock lock(mutex);
    auto* folder = find(place);
    auto* row = folder != nullptr ? folder->find(entry.name) : nullptr;
    if (row == nullptr) return; // it was removed meanwhile
    auto& shown = row->shown;
    const auto& why = entry.unreachable.empty() ? entry.failure : entry.unreachable;
    shown.state = why.empty() ? ui::ListedRecording::State::done : ui::ListedRecording::State::failed;
    shown.why = ui::toText(why);
    if (entry.result) {
        if (entry.result->seconds > 0.0 && entry.result->seconds < latestMoment)
            shown.seconds = entry.result->seconds;
        shown.events = static_cast<int>(entry.result->events.size());
        listEvents(shown.id, entry.result->events);
    }
    rowsChanged = true;
}

void Recordings::Shared::note(const fs::path& place, const batch::BatchProgress& now) {
    const std::scoped_lock lock(mutex);
    progress = now.share;
    doing =
        fmt::format("{}: {} of {}", displayName(place.filename()), now.done, countOf(now.total, "recording"));
    auto* folder = find(place);
    if (folder == nullptr) return;
    for (const auto& [name, share] : now.hearing) {
        auto* row = folder->find(name);
        // It may be done since this was noted.
        if (row == nullptr || row->shown.state == ui::ListedRecording::State::done ||
            row->shown.state == ui::ListedRecording::State::failed)
            continue;
        row->shown.state = ui::ListedRecording::State::hearing;
        row->shown.share = share;
        rowsChanged = true;
    }
}

std::string Recordings::Shared::conclusion() const {
    std::size_t done = 0, failed = 0;
    for (const auto& folder : folders)
        for (const auto& row : folder.rows) {
            done += row.shown.state == ui::ListedRecording::State::done ? 1u : 0u;
            failed += row.shown.state == ui::ListedRecording::State::failed ? 1u : 0u;
        }
    auto text =
        done == 1 ? std::string("1 recording is done.") : fmt::format("{} recordings are done.", done);
    if (failed > 0) text += fmt::format(" {} could not be heard: the list says why.", failed);
    return text;
}

Recordings::Recordings()
    : shared_(std::make_shared<Shared>()) {}

Recordings::~Recordings() {
    stop();
    for (auto& search : searches_) search.stop();
    const auto since = SteadyClock::now();
    while (batch_.running() && SteadyClock::now() - since < endPatience) std::this_thread::sleep_for(endPoll);
}

ui::RecordingList Recordings::view() const {
    const std::scoped_lock lock(shared_->mutex);
    Shared& shared = *shared_;
    shared.showRows();
    shared.showEvents();
    ui::RecordingList list;
    list.possible = true;
    list.hearing = shared.hearing;
    list.progress = shared.progress;
    list.doing = shared.searches > 0 && !shared.hearing ? juce::String("Looking for recordings")
                                                        : ui::toText(shared.doing);
    list.hint = ui::toText(shared.hint);
    list.canAgain = std::ranges::any_of(shared.folders, &DroppedFolder::otherSettings);
    list.recordings = shared.rowsShown;
    list.events = shared.eventsShown;
    return list;
}

bool Recordings::start() {
    {
        const std::scoped_lock lock(shared_->mutex);
        if (std::exchange(shared_->runs, true)) return true;
    }
    try {
        batch_ = Job([shared = shared_](const StopToken& stop) { shared->run(stop); });
        return true;
    } catch (const std::system_error&) {
        const std::scoped_lock lock(shared_->mutex);
        shared_->runs = false;
        shared_->hint = "No thread could be started: close other programs and try again";
        return false;
    }
}

void Recordings::add(const std::vector<fs::path>& paths, const HowToListen& how) {
    std::erase_if(searches_, [](const Job& search) { return !search.running(); });
    {
        const std::scoped_lock lock(shared_->mutex);
        ++shared_->searches;
        shared_->hint.clear();
    }
    try {
        searches_.emplace_back(
            [shared = shared_, paths, how](const StopToken& stop) { shared->search(paths, how, stop); });
    } catch (const std::system_error&) {
        const std::scoped_lock lock(shared_->mutex);
        --shared_->searches;
        shared_->hint = "No thread could be started: close other programs and try again";
        return;
    }
    start();
}

void Recordings::remove(int id) {
    const std::scoped_lock lock(shared_->mutex);
    for (auto& folder : shared_->folders)
        std::erase_if(folder.rows, [&](const ListRow& row) { return row.shown.id == id; });
    std::erase_if(shared_->folders, [](const DroppedFolder& folder) { return folder.rows.empty(); });
    shared_->forgetEvents({id});
    shared_->rowsChanged = true;
    shared_->rowsMade = shared_->eventsMade = {};
}

std::string Recordings::analyse(const HowToListen& how, bool again) {
    {
        const std::scoped_lock lock(shared_->mutex);
        if (shared_->folders.empty()) return "Drop recordings, or a folder of them, first";
        if (shared_->hearing) return "Recordings are heard already: wait, or stop first";
        for (auto& folder : shared_->folders)
            if (!again || folder.otherSettings) folder.wanted = WantedBatch{how, again};
        shared_->hint.clear();
    }
    return start() ? "" : "No thread could be started: close other programs and try again";
}

void Recordings::stop() { batch_.stop(); }

std::string Recordings::setResults(int id, const fs::path& given) {
    const std::scoped_lock lock(shared_->mutex);
    const auto results = tidied(given);
    const auto has = [&](const DroppedFolder& folder) {
        return std::ranges::any_of(folder.rows, [&](const ListRow& row) { return row.shown.id == id; });
    };
    const auto folder = std::ranges::find_if(shared_->folders, has);
    if (folder == shared_->folders.end()) return "Choose a recording first";
    if (folder->folder == shared_->current) return "These recordings are heard just now: stop first";
    for (const auto& other : shared_->folders)
        if (&other != &*folder && other.results == results)
            return displayName(results) + " is for the results of " + displayName(other.folder) +
                   ": choose another folder";
    folder->results = results;
    folder->resultsChosen = true;
    folder->otherSettings = false;
    std::set<int> ids;
    for (auto& row : folder->rows) {
        row.shown.results = juce::File(ui::toText(results.string()));
        row.shown.state = ui::ListedRecording::State::waiting;
        row.shown.events = 0;
        row.shown.why = {};
        ids.insert(row.shown.id);
    }
    shared_->forgetEvents(ids);
    shared_->rowsChanged = true;
    shared_->rowsMade = shared_->eventsMade = {};
    return "";
}

} // namespace earshot::plugin
