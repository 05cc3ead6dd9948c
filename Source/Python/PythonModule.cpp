// earshot._native: the C library for the package `earshot`, whose Python files document and check what is
// passed here. Whatever may take long releases the interpreter's lock. Arrays of results lie in the library's
// memory, which lives for as long as they do. Any number of threads may use a model; a closed stream lives
// until no call uses it.
#include "earshot.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace {

using Samples = py::array_t<float, py::array::c_style>; // (frames, channels)

// ---- Errors

struct Failure : std::runtime_error {
    Failure(earshot_status failed, bool absent)
        : std::runtime_error(earshot_last_error())
        , status(failed)
        , isAbsent(absent) {}

    earshot_status status;
    bool isAbsent; // a file that is not there
};

bool isAbsentFile(const char* path) {
    std::error_code unknown;
    return path != nullptr &&
           !std::filesystem::exists(std::filesystem::path(reinterpret_cast<const char8_t*>(path)), unknown) &&
           !unknown;
}

void require(earshot_status status, const char* path = nullptr) {
    if (status == EARSHOT_OK) return;
    if (status == EARSHOT_OUT_OF_MEMORY) throw std::bad_alloc();
    throw Failure(status, status == EARSHOT_FILE_ERROR && isAbsentFile(path));
}

// earshot.Error, and earshot.FileNotFound, which is a FileNotFoundError too. They live as long as the
// interpreter.
struct ErrorTypes {
    PyObject* error = nullptr;
    PyObject* fileNotFound = nullptr;
};

ErrorTypes& errorTypes() {
    static ErrorTypes types;
    return types;
}

void setAbsent(const char* message) {
    py::object error = py::reinterpret_borrow<py::object>(errorTypes().fileNotFound)(message);
    error.attr("errno") = ENOENT;
    PyErr_SetObject(errorTypes().fileNotFound, error.ptr());
}

void setError(const Failure& failure) {
    if (failure.isAbsent) return setAbsent(failure.what());
    PyErr_SetString(failure.status == EARSHOT_INVALID_ARGUMENT ? PyExc_ValueError : errorTypes().error,
                    failure.what());
}

void addErrors(py::module_& module) {
    auto& types = errorTypes();
    types.error = PyErr_NewExceptionWithDoc(
        "earshot.Error", "What Earshot cannot do, with the library's message.", PyExc_RuntimeError, nullptr);
    const auto bases = py::make_tuple(py::handle(types.error), py::handle(PyExc_FileNotFoundError));
    types.fileNotFound =
        PyErr_NewExceptionWithDoc("earshot.FileNotFound", "A file that is not there.", bases.ptr(), nullptr);
    module.attr("Error") = py::handle(types.error);
    module.attr("FileNotFound") = py::handle(types.fileNotFound);
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) std::rethrow_exception(std::move(thrown));
        } catch (const Failure& failure) {
            setError(failure);
        }
    });
}

// ---- What is asked

// Of an analysis or a stream. The lists have a value for each class, or are empty.
struct Choice : earshot_rules, earshot_analysis {
    Choice()
        : earshot_rules EARSHOT_RULES_INIT
        , earshot_analysis EARSHOT_ANALYSIS_INIT {}

    std::vector<float> thresholds;
    std::vector<std::uint8_t> only;
};

// Ctrl-C, and the caller's function, which get their turn about once for each second of audio.
struct Progress {
    py::object function; // of the share that is done, None if it is not known; or None
    std::exception_ptr raised;
};

int reportProgress(void* user, double done) {
    auto& progress = *static_cast<Progress*>(user);
    const py::gil_scoped_acquire lock;
    try {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (!progress.function.is_none())
            progress.function(done < 0.0 ? py::object(py::none()) : py::float_(done));
        return 0;
    } catch (...) {
        progress.raised = std::current_exception();
        return 1;
    }
}

// Of `choice`, whose rules it points to.
earshot_analysis analysisOf(const Choice& choice, earshot_rules& rules) {
    rules = choice;
    if (!choice.thresholds.empty()) rules.class_thresholds = choice.thresholds.data();
    if (!choice.only.empty()) rules.reported = choice.only.data();
    earshot_analysis analysis = choice;
    analysis.rules = &rules;
    return analysis;
}

// ---- Models and results

// An array over memory that `owner` keeps.
template <typename Value>
py::array readOnly(std::vector<py::ssize_t> shape, const Value* values, const py::object& owner) {
    py::array_t<Value> array(std::move(shape), values, owner);
    array.attr("setflags")(py::arg("write") = false);
    return array;
}

struct Result {
    std::unique_ptr<earshot_result, decltype(&earshot_result_free)> handle{nullptr, earshot_result_free};
    std::size_t classes = 0;
    std::optional<std::string> failure; // of a recording that breaks off
};

py::array eventsOf(const py::object& self) {
    std::size_t count = 0;
    const auto* events = earshot_result_events(self.cast<const Result&>().handle.get(), &count);
    return readOnly({static_cast<py::ssize_t>(count)}, events, self);
}

py::array activationsOf(const py::object& self) {
    const auto& result = self.cast<const Result&>();
    const auto columns = static_cast<py::ssize_t>(earshot_result_column_count(result.handle.get()));
    return readOnly({columns, static_cast<py::ssize_t>(result.classes)},
                    earshot_result_activations(result.handle.get()), self);
}

struct Model {
    std::shared_ptr<earshot_model> handle;

    const earshot_model* get() const { return handle.get(); }
};

Model own(earshot_model* opened) { return {std::shared_ptr<earshot_model>(opened, earshot_model_close)}; }

Model openModel(const std::optional<std::string>& path, int threads, int precision) {
    earshot_model_options options = EARSHOT_MODEL_OPTIONS_INIT;
    options.threads = threads;
    options.precision = precision;
    const char* name = path ? path->c_str() : nullptr;
    earshot_model* opened = nullptr;
    const py::gil_scoped_release others;
    require(earshot_model_open(name, &options, &opened), name);
    return own(opened);
}

Model withTexts(const Model& model, const std::vector<std::string>& texts) {
    std::vector<const char*> pointers;
    pointers.reserve(texts.size());
    for (const auto& text : texts) pointers.push_back(text.c_str());
    earshot_model* made = nullptr;
    const py::gil_scoped_release others;
    require(earshot_model_with_texts(model.get(), pointers.data(), pointers.size(), &made));
    return own(made);
}

std::vector<std::string> labelsOf(const Model& model) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < earshot_model_class_count(model.get()); ++i)
        labels.emplace_back(earshot_model_label(model.get(), static_cast<std::int32_t>(i)));
    return labels;
}

std::vector<float> thresholdsOf(const Model& model) {
    std::vector<float> thresholds;
    thresholds.reserve(earshot_model_class_count(model.get()));
    for (std::size_t i = 0; i < earshot_model_class_count(model.get()); ++i)
        thresholds.push_back(earshot_model_threshold(model.get(), static_cast<std::int32_t>(i)));
    return thresholds;
}

std::optional<std::string> propertyOf(const Model& model, const std::string& name) {
    const char* value = earshot_model_property(model.get(), name.c_str());
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

earshot_audio audioOf(const Samples& samples, double rate) {
    earshot_audio audio = EARSHOT_AUDIO_INIT;
    audio.interleaved = samples.data();
    audio.frames = static_cast<std::size_t>(samples.shape(0));
    audio.channels = static_cast<std::int32_t>(samples.shape(1));
    audio.rate = rate;
    return audio;
}

// Calls work(analysis) without the interpreter's lock, and returns its status. What `function` raises is
// raised.
template <typename Work>
earshot_status run(const Choice& choice, py::object function, const Work& work) {
    Progress progress{std::move(function), {}};
    earshot_rules rules = EARSHOT_RULES_INIT;
    earshot_analysis analysis = analysisOf(choice, rules);
    analysis.progress = reportProgress;
    analysis.user = &progress;
    earshot_status status = EARSHOT_OK;
    {
        const py::gil_scoped_release others;
        status = work(&analysis);
    }
    if (progress.raised) std::rethrow_exception(progress.raised);
    return status;
}

// analyze(analysis, result): a function of the library.
template <typename Analyze>
Result analyzed(const Model& model, const Choice& choice, const py::object& progress, const char* path,
                const Analyze& analyze) {
    Result result;
    result.classes = earshot_model_class_count(model.get());
    const auto status = run(choice, progress, [&](const earshot_analysis* analysis) {
        earshot_result* found = nullptr;
        const auto ended = analyze(analysis, &found);
        result.handle.reset(found);
        return ended;
    });
    if (status == EARSHOT_FILE_ERROR && result.handle)
        result.failure = earshot_last_error();
    else
        require(status, path);
    return result;
}

Result analyzeFile(const Model& model, const std::string& path, const Choice& choice,
                   const py::object& progress) {
    return analyzed(model, choice, progress, path.c_str(),
                    [&](const earshot_analysis* analysis, earshot_result** result) {
                        return earshot_analyze_file(model.get(), path.c_str(), analysis, result);
                    });
}

Result analyzeSamples(const Model& model, const Samples& samples, double rate, const Choice& choice,
                      const py::object& progress) {
    const auto audio = audioOf(samples, rate);
    return analyzed(model, choice, progress, nullptr,
                    [&](const earshot_analysis* analysis, earshot_result** result) {
                        return earshot_analyze_samples(model.get(), &audio, analysis, result);
                    });
}

// embed(analysis, out, capacity): a function of the library.
template <typename Embed>
py::array_t<float> embedding(const Model& model, const Choice& choice, const py::object& progress,
                             const char* path, const Embed& embed) {
    const std::size_t size = earshot_model_embedding_size(model.get());
    py::array_t<float> vector(static_cast<py::ssize_t>(size));
    float* out = vector.mutable_data();
    require(
        run(choice, progress, [&](const earshot_analysis* analysis) { return embed(analysis, out, size); }),
        path);
    return vector;
}

py::array_t<float> embedFile(const Model& model, const std::string& path, const Choice& choice,
                             const py::object& progress) {
    return embedding(model, choice, progress, path.c_str(),
                     [&](const earshot_analysis* analysis, float* out, std::size_t capacity) {
                         return earshot_embed_file(model.get(), path.c_str(), analysis, out, capacity);
                     });
}

py::array_t<float> embedSamples(const Model& model, const Samples& samples, double rate, const Choice& choice,
                                const py::object& progress) {
    const auto audio = audioOf(samples, rate);
    return embedding(model, choice, progress, nullptr,
                     [&](const earshot_analysis* analysis, float* out, std::size_t capacity) {
                         return earshot_embed_samples(model.get(), &audio, analysis, out, capacity);
                     });
}

// ---- Streams

// Takes all there is, some at a time. poll(out, capacity, count): a function of the library
template <typename Thing, typename Poll>
std::vector<Thing> takeAll(std::size_t width, const Poll& poll) {
    constexpr std::size_t some = 256;
    std::vector<Thing> all;
    for (std::size_t count = some; count == some;) {
        const std::size_t before = all.size();
        all.resize(before + some * width);
        require(poll(all.data() + before, some, &count));
        all.resize(before + count * width);
    }
    return all;
}

// Its memory becomes the array's.
template <typename Value>
py::array given(std::vector<py::ssize_t> shape, std::vector<Value>&& values) {
    auto owned = std::make_unique<std::vector<Value>>(std::move(values));
    const Value* first = owned->data();
    const py::capsule owner(owned.get(),
                            [](void* memory) { delete static_cast<std::vector<Value>*>(memory); });
    static_cast<void>(owned.release());
    return py::array_t<Value>(std::move(shape), first, owner);
}

class Stream {
  public:
    Stream(const Model& model, double rate, int channels, const Choice& choice)
        : classes_(earshot_model_class_count(model.get()))
        , second_(static_cast<std::size_t>(std::max(1.0, std::isfinite(rate) ? rate : 1.0))) {
        earshot_rules rules = EARSHOT_RULES_INIT;
        const earshot_analysis analysis = analysisOf(choice, rules);
        earshot_stream* opened = nullptr;
        require(earshot_stream_open(model.get(), rate, channels, &analysis, &opened));
        handle_ = std::shared_ptr<earshot_stream>(opened, earshot_stream_close);
    }

    // A second at a time, so that Ctrl-C gets its turn.
    void push(const Samples& samples) {
        const auto handle = open();
        const auto frames = static_cast<std::size_t>(samples.shape(0)),
                   channels = static_cast<std::size_t>(samples.shape(1));
        for (std::size_t first = 0; first < frames; first += second_) {
            pushSome(*handle, samples.data() + first * channels, std::min(second_, frames - first));
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        }
    }

    void finish() {
        const auto handle = open();
        const py::gil_scoped_release others;
        require(earshot_stream_finish(handle.get()));
    }

    py::array events() {
        const auto handle = open();
        auto found =
            takeAll<earshot_event>(1, [&](earshot_event* out, std::size_t capacity, std::size_t* count) {
                return earshot_stream_poll_events(handle.get(), out, capacity, count);
            });
        const auto count = static_cast<py::ssize_t>(found.size());
        return given<earshot_event>({count}, std::move(found));
    }

    // onsets (True) and offsets, and the event of each
    std::pair<std::vector<bool>, py::array> changes() {
        const auto handle = open();
        const auto found =
            takeAll<earshot_change>(1, [&](earshot_change* out, std::size_t capacity, std::size_t* count) {
                return earshot_stream_poll_changes(handle.get(), out, capacity, count);
            });
        std::vector<bool> onsets;
        std::vector<earshot_event> events;
        for (const auto& change : found) {
            onsets.push_back(change.kind == EARSHOT_ONSET);
            events.push_back(change.event);
        }
        const auto count = static_cast<py::ssize_t>(events.size());
        return {std::move(onsets), given<earshot_event>({count}, std::move(events))};
    }

    // (columns, classes)
    py::array activations() {
        const auto handle = open();
        auto found = takeAll<float>(classes_, [&](float* out, std::size_t capacity, std::size_t* count) {
            return earshot_stream_poll_activations(handle.get(), out, capacity, count, nullptr);
        });
        const auto columns = static_cast<py::ssize_t>(found.size() / std::max<std::size_t>(1, classes_));
        return given<float>({columns, static_cast<py::ssize_t>(classes_)}, std::move(found));
    }

    std::uint64_t position() const { return earshot_stream_position(handle_.get()); }
    bool isClosed() const { return handle_ == nullptr; }
    void close() { handle_.reset(); }

  private:
    std::shared_ptr<earshot_stream> open() const {
        if (handle_ == nullptr) throw py::value_error("stream: is closed; open another one");
        return handle_;
    }

    static void pushSome(earshot_stream& stream, const float* samples, std::size_t frames) {
        const py::gil_scoped_release others;
        require(earshot_stream_push(&stream, samples, frames));
    }

    std::size_t classes_, second_; // frames
    std::shared_ptr<earshot_stream> handle_;
};

// ---- The module

void addChoice(py::module_& module) {
    py::class_<Choice>(module, "Choice")
        .def(py::init())
        .def_readwrite("threshold", &Choice::threshold)
        .def_readwrite("release", &Choice::release)
        .def_readwrite("min_duration", &Choice::min_duration)
        .def_readwrite("merge_gap", &Choice::merge_gap)
        .def_readwrite("median", &Choice::median)
        .def_readwrite("by_confidence", &Choice::by_confidence)
        .def_readwrite("confidence", &Choice::confidence)
        .def_readwrite("thresholds", &Choice::thresholds)
        .def_readwrite("only", &Choice::only)
        .def_readwrite("hop", &Choice::hop)
        .def_readwrite("mode", &Choice::mode)
        .def_readwrite("channel", &Choice::channel)
        .def_readwrite("keep_activations", &Choice::keep_activations)
        .def_readwrite("live", &Choice::live);
}

void addResult(py::module_& module) {
    PYBIND11_NUMPY_DTYPE(earshot_event, onset, offset, class_index, channel, peak, mean, confidence);
    py::class_<Result>(module, "Result")
        .def_property_readonly("events", eventsOf)
        .def_property_readonly("activations", activationsOf)
        .def_property_readonly(
            "duration", [](const Result& result) { return earshot_result_duration(result.handle.get()); })
        .def_property_readonly(
            "remarks", [](const Result& result) { return earshot_result_remarks(result.handle.get()); })
        .def_readonly("failure", &Result::failure);
}

void addModel(py::module_& module) {
    py::class_<Model>(module, "Model")
        .def(py::init(&openModel))
        .def("with_texts", withTexts)
        .def("labels", labelsOf)
        .def("thresholds", thresholdsOf)
        .def("find_class",
             [](const Model& model, const std::string& label) {
                 return earshot_model_find_class(model.get(), label.c_str());
             })
        .def("step", [](const Model& model) { return earshot_model_step(model.get()); })
        .def("rate", [](const Model& model) { return earshot_model_rate(model.get()); })
        .def("embedding_size", [](const Model& model) { return earshot_model_embedding_size(model.get()); })
        .def("property", propertyOf)
        .def("analyze_file", analyzeFile)
        .def("analyze_samples", analyzeSamples)
        .def("embed_file", embedFile)
        .def("embed_samples", embedSamples);
}

void addStream(py::module_& module) {
    py::class_<Stream>(module, "Stream")
        .def(py::init<const Model&, double, int, const Choice&>())
        .def("push", &Stream::push)
        .def("finish", &Stream::finish)
        .def("events", &Stream::events)
        .def("changes", &Stream::changes)
        .def("activations", &Stream::activations)
        .def_property_readonly("position", &Stream::position)
        .def_property_readonly("is_closed", &Stream::isClosed)
        .def("close", &Stream::close);
}

} // namespace

PYBIND11_MODULE(_native, module) {
    module.def("version", earshot_version);
    addErrors(module);
    addChoice(module);
    addResult(module);
    addModel(module);
    addStream(module);
}
