#include "Plugin/Recordings/DragClips.h"

#include "Core/Audio/SoundWriter.h"
#include "Core/Base/Error.h"
#include "Core/Base/Log.h"
#include "Core/Base/WholeFile.h"
#include "Plugin/Base/Refusal.h"
#include "Plugin/Recordings/ClipRequests.h"
#include "Ui/Panels/EventExport.h"
#include "Ui/Panels/Widgets.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <utility>

namespace earshot::plugin {

namespace {

std::vector<std::string> cutFiles(const ui::ClipRequest& request, const std::string& folder,
                                  const StopToken& stop) {
    auto settings = settingsFor(request);
    settings.folder = folder;
    settings.format = batch::ClipFormat::wav;
    settings.handles = 0.0;
    std::vector<std::string> files;
    batch::Cutter(settings).cut(
        pathOf(request.recording), eventsOf(request),
        [&stop] {
            stop.check();
            return true;
        },
        [&files](const batch::Clip& clip) {
            if (clip.state == batch::Clip::State::failed) throw Error(clip.problem);
            files.push_back(clip.file.string());
            return true;
        });
    return files;
}

// "00012.340_Dog.wav", as clips of recordings are called
std::string nameOf(const KeptClip& clip) {
    const auto name = fmt::format("{:09.3f}_{}.wav", clip.event.onset, clip.event.label);
    return juce::File::createLegalFileName(ui::toText(name)).toStdString();
}

std::vector<std::string> writeFiles(const std::vector<KeptClip>& clips, const std::string& folder,
                                    const StopToken& stop) {
    std::vector<std::string> files;
    for (const KeptClip& clip : clips) {
        stop.check();
        WholeFile file(folder + "/" + nameOf(clip));
        audio::SoundWriter writer(file, {.sampleRate = clip.sampleRate,
                                         .channels = 1,
                                         .stored = {},
                                         .frames = static_cast<std::int64_t>(clip.samples.size())});
        writer.write(std::vector<double>(clip.samples.begin(), clip.samples.end()));
        writer.finish();
        file.commit();
        files.push_back(folder + "/" + nameOf(clip));
    }
    return files;
}

} // namespace

int DragClips::begin(const ui::DraggedClips& clips) {
    return shared_->with([&](State& state) {
        state.clips = clips;
        return ++state.request;
    });
}

void DragClips::refuse(const juce::String& why) { begin({{}, why}); }

void DragClips::cut(const ui::ClipRequest& request) {
    start([request](const std::string& folder, const StopToken& stop) {
        return cutFiles(request, folder, stop);
    });
}

void DragClips::write(std::vector<KeptClip> clips) {
    start([clips = std::move(clips)](const std::string& folder, const StopToken& stop) {
        return writeFiles(clips, folder, stop);
    });
}

void DragClips::start(Work work) {
    const int request = begin({});
    job_.start([shared = shared_, work = std::move(work), request](const StopToken& stop) {
        ui::DraggedClips made;
        try {
            const auto folder = ui::newDragFolder();
            if (folder == juce::File())
                throw Error(
                    "Could not make a folder for files to drag: free some space in the temporary folder");
            for (const auto& file : work(folder.getFullPathName().toStdString(), stop))
                made.files.add(ui::toText(file));
        } catch (const Stopped&) {
            return;
        } catch (...) {
            logCaught("preparing clips to drag");
            made = {{}, ui::toText(withoutOptions(caughtCause()))};
        }
        shared->with([&](State& state) {
            if (state.request == request) state.clips = made;
        });
    });
}

} // namespace earshot::plugin
