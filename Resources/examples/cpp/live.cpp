// Prints sounds as they begin and end, live from JACK (or PipeWire's JACK).
//
//     c++ -std=c++17 live.cpp $(pkg-config --cflags --libs earshot jack) -pthread -o live
//     ./live [SECONDS] [PORT]          SECONDS: how long, 0: until Ctrl-C.  PORT: connects it, as in
//     "system:capture_1"
//
// JACK's callback may not wait, and the library computes for a while. So the callback only writes to a ring
// buffer, from which the main thread reads.
//
// This file may be used for any purpose. The library is under the GPL, version 3 or later.
#include <earshot.h>
#include <jack/jack.h>
#include <jack/ringbuffer.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace {

struct Close {
    void operator()(earshot_model* model) const { earshot_model_close(model); }
    void operator()(earshot_stream* stream) const { earshot_stream_close(stream); }
    void operator()(jack_client_t* client) const { jack_client_close(client); }
    void operator()(jack_ringbuffer_t* ring) const { jack_ringbuffer_free(ring); }
};
template <typename Thing>
using Owner = std::unique_ptr<Thing, Close>;

std::atomic<bool> ends{false};

struct Input {
    jack_port_t* port = nullptr;
    jack_ringbuffer_t* ring = nullptr;
    std::atomic<std::size_t> lost{0}; // samples
};

// The audio thread: copies, and never waits.
int process(jack_nframes_t frames, void* context) {
    auto& input = *static_cast<Input*>(context);
    const auto* samples = static_cast<const char*>(jack_port_get_buffer(input.port, frames));
    const std::size_t bytes = frames * sizeof(float);
    if (jack_ringbuffer_write_space(input.ring) >= bytes)
        jack_ringbuffer_write(input.ring, samples, bytes);
    else
        input.lost += frames;
    return 0;
}

bool check(earshot_status status) {
    if (status != EARSHOT_OK) std::fprintf(stderr, "%s\n", earshot_last_error());
    return status == EARSHOT_OK;
}

// Prints what has begun and ended since the last call.
bool print(const earshot_model* model, earshot_stream* stream) {
    earshot_change changes[16];
    std::size_t count = 0;
    do {
        if (!check(earshot_stream_poll_changes(stream, changes, 16, &count))) return false;
        for (std::size_t i = 0; i < count; ++i) {
            const auto& event = changes[i].event;
            const bool begins = changes[i].kind == EARSHOT_ONSET;
            std::printf("%8.2f s  %s %s\n", begins ? event.onset : event.offset, begins ? "+" : "-",
                        earshot_model_label(model, event.class_index));
        }
    } while (count > 0);
    std::fflush(stdout);
    return true;
}

} // namespace

int main(int argc, char** argv) {
    const double seconds = argc > 1 ? std::atof(argv[1]) : 0.0;
    earshot_model* opened = nullptr;
    if (!check(earshot_model_open(nullptr, nullptr, &opened))) return 1;
    const Owner<earshot_model> model(opened);

    const Owner<jack_client_t> client(jack_client_open("earshot-live", JackNoStartServer, nullptr));
    if (!client) {
        std::fprintf(stderr, "JACK does not run; start it, or run this program with pw-jack\n");
        return 1;
    }
    const double rate = jack_get_sample_rate(client.get());
    const Owner<jack_ringbuffer_t> ring(
        jack_ringbuffer_create(static_cast<std::size_t>(4.0 * rate) * sizeof(float)));

    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    analysis.live = 1;   // onsets before they are settled
    analysis.hop = 0.64; // seconds: how often the model looks
    earshot_stream* begun = nullptr;
    if (!check(earshot_stream_open(model.get(), rate, 1, &analysis, &begun))) return 1;
    const Owner<earshot_stream> stream(begun);

    Input input;
    input.ring = ring.get();
    input.port = jack_port_register(client.get(), "in", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    jack_set_process_callback(client.get(), process, &input);
    if (!ring || input.port == nullptr || jack_activate(client.get()) != 0) {
        std::fprintf(stderr, "JACK gives no input\n");
        return 1;
    }
    if (argc > 2 && jack_connect(client.get(), argv[2], jack_port_name(input.port)) != 0)
        std::fprintf(stderr, "cannot connect %s\n", argv[2]);
    std::signal(SIGINT, [](int) { ends = true; });
    std::signal(SIGTERM, [](int) { ends = true; });

    std::vector<float> block(4096);
    while (!ends &&
           (seconds <= 0.0 || static_cast<double>(earshot_stream_position(stream.get())) < seconds * rate)) {
        const auto bytes = jack_ringbuffer_read(ring.get(), reinterpret_cast<char*>(block.data()),
                                                block.size() * sizeof(float));
        if (bytes == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            continue;
        }
        if (!check(earshot_stream_push(stream.get(), block.data(), bytes / sizeof(float))) ||
            !print(model.get(), stream.get()))
            return 1;
    }
    jack_deactivate(client.get());
    const bool done = check(earshot_stream_finish(stream.get())) && print(model.get(), stream.get());
    if (input.lost > 0) std::fprintf(stderr, "%zu samples came too fast\n", input.lost.load());
    return done ? 0 : 1;
}
