/**
 * @file earshot.h
 * Earshot as a library: which sounds are in a recording or a live stream, and when. C99 and C++.
 *
 * @code
 * earshot_model* model = NULL;
 * earshot_result* result = NULL;
 * if (earshot_model_open(NULL, NULL, &model) == EARSHOT_OK &&
 *     earshot_analyze_file(model, "dawn.flac", NULL, &result) == EARSHOT_OK) {
 *     size_t count = 0;
 *     const earshot_event* events = earshot_result_events(result, &count);
 *     for (size_t i = 0; i < count; ++i)
 *         printf("%.2f to %.2f s: %s\n", events[i].onset, events[i].offset,
 *                earshot_model_label(model, events[i].class_index));
 * } else {
 *     fprintf(stderr, "%s\n", earshot_last_error());
 * }
 * earshot_result_free(result);
 * earshot_model_close(model);
 * @endcode
 *
 * **Threads.** A model and a result do not change after they are made: any number of threads may use one at
 * the same time. Of a stream one thread at a time pushes and finishes, while another may poll and ask for the
 * position. earshot_last_error() belongs to the calling thread. Whatever is closed or freed must not be in
 * use. No function is for an audio callback: each may allocate, wait and compute for a while. A live program
 * passes its samples to a thread of its own through a ring buffer (the example `live.cpp` shows this).
 *
 * **Memory.** What a function of this file makes, its counterpart here frees: earshot_model_close(),
 * earshot_result_free(), earshot_stream_close(). All of them accept null. Text that is returned belongs to
 * its model or result, and earshot_last_error()'s is valid until the next call by the same thread. Everything
 * passed in is read during the call only, and is the caller's. Streams stay valid when their model is closed.
 *
 * **Errors.** What can fail returns an ::earshot_status, and earshot_last_error() says in one line what was
 * expected, what was found and what to do. A handle is set to null before anything else happens. Null handles
 * and values that make no sense are errors, never crashes; getters return 0, NaN or null for them. No C++
 * exception crosses this border.
 *
 * **Text** is UTF-8, paths too.
 *
 * **Growth.** Structs that are passed in begin with their size, which the EARSHOT_..._INIT macros set: a
 * program that was compiled with an older header runs with a newer library of the same ABI version.
 */
#ifndef EARSHOT_H
#define EARSHOT_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(EARSHOT_BUILDING)
#define EARSHOT_API __declspec(dllexport)
#elif defined(_WIN32) && !defined(EARSHOT_STATIC)
#define EARSHOT_API __declspec(dllimport)
#elif defined(__GNUC__)
#define EARSHOT_API __attribute__((visibility("default")))
#else
#define EARSHOT_API
#endif

/* The names are those of C libraries. */
/* NOLINTBEGIN(readability-identifier-naming) */
#ifdef __cplusplus
extern "C" {
#endif

/** The ABI of this header; earshot_abi_version() tells that of the library. It is the number behind `.so`. */
#define EARSHOT_ABI_VERSION 0

typedef enum earshot_status {
    EARSHOT_OK = 0,
    EARSHOT_INVALID_ARGUMENT =
        1,                   /**< a null handle, NaN, no samples, an unknown value: the caller's mistake */
    EARSHOT_FILE_ERROR = 2,  /**< a file is missing, damaged, or of no known kind */
    EARSHOT_UNSUPPORTED = 3, /**< the model cannot do this */
    EARSHOT_CANCELLED = 4,   /**< the progress function asked for it */
    EARSHOT_OUT_OF_MEMORY = 5,
    EARSHOT_INTERNAL = 6 /**< please report it, with the message */
} earshot_status;

/** The version of the library, as "0.3.0". */
EARSHOT_API const char* earshot_version(void);
/** The ABI version of the library. It equals EARSHOT_ABI_VERSION of every header that the library serves. */
EARSHOT_API int earshot_abi_version(void);
/** Why this thread's last call failed, in one line; empty if it did not. Never null. Getters leave it as it
 * is. */
EARSHOT_API const char* earshot_last_error(void);

/* ---- Models
 * ------------------------------------------------------------------------------------------------ */

/** A model with its classes. Any number of threads may use it at the same time. */
typedef struct earshot_model earshot_model;

/** The number type that a pass of the network computes with. What would be slow on this CPU becomes F32. */
typedef enum earshot_precision {
    EARSHOT_PRECISION_AUTO = 0, /**< the fastest on this CPU; the command line's default for events */
    EARSHOT_PRECISION_F32 = 1,  /**< the command line's default for embeddings */
    EARSHOT_PRECISION_BF16 = 2,
    EARSHOT_PRECISION_INT8 = 3
} earshot_precision;

typedef struct earshot_model_options {
    size_t size; /**< sizeof(earshot_model_options) */
    /** The threads that one analysis uses; 0: one for each core. A stream always uses one. On CPUs without
     * AVX512 other numbers may round differently. */
    int32_t threads;
    int32_t precision; /**< ::earshot_precision */
} earshot_model_options;
#define EARSHOT_MODEL_OPTIONS_INIT                                                                           \
    { sizeof(earshot_model_options), 1, EARSHOT_PRECISION_AUTO }

/**
 * Opens a model. One that is opened is meant for many recordings: opening takes longer than a short clip.
 * @param path     a checkpoint; null: the file that the environment's EARSHOT_MODEL names, else the default
 * model of the installation that the library belongs to
 * @param options  null: EARSHOT_MODEL_OPTIONS_INIT
 */
EARSHOT_API earshot_status earshot_model_open(const char* path, const earshot_model_options* options,
                                              earshot_model** model);
/**
 * Makes a model whose classes are texts, from a CLAP checkpoint that has a text half. `model` stays as it is,
 * and both share the weights. Texts compete with each other and with "silence", "background noise" and "a
 * sound", as with `earshot analyze --listen`.
 * @param texts  each "a dog barks", or with a name of its own "a dog barks=Dog"
 */
EARSHOT_API earshot_status earshot_model_with_texts(const earshot_model* model, const char* const* texts,
                                                    size_t count, earshot_model** result);
EARSHOT_API void earshot_model_close(earshot_model* model);

EARSHOT_API size_t earshot_model_class_count(const earshot_model* model);
/** The name of a class; null if there is no such class. */
EARSHOT_API const char* earshot_model_label(const earshot_model* model, int32_t class_index);
/** The class of that name, whatever the case of its (ASCII) letters; -1 if there is none. */
EARSHOT_API int32_t earshot_model_find_class(const earshot_model* model, const char* label);
/** The threshold that applies to a class unless the rules say otherwise, 0 to 1; NaN if there is no such
 * class. */
EARSHOT_API float earshot_model_threshold(const earshot_model* model, int32_t class_index);
/** Seconds from one column of activations to the next: 0.08 in the default model. */
EARSHOT_API double earshot_model_step(const earshot_model* model);
/** Hz. Audio at other rates is resampled to this one. */
EARSHOT_API double earshot_model_rate(const earshot_model* model);
/** The number of values of an embedding. */
EARSHOT_API size_t earshot_model_embedding_size(const earshot_model* model);
/**
 * What else is known of a model, as text: "file" (its path), "licence" (of the weights), "precision"
 * ("float32", "bfloat16", "int8"), "texts" ("yes" if earshot_model_with_texts() is possible). Empty if
 * nothing is known; null for other names.
 */
EARSHOT_API const char* earshot_model_property(const earshot_model* model, const char* name);

/* ---- Recordings
 * -------------------------------------------------------------------------------------------- */

typedef struct earshot_event {
    double onset;        /**< seconds from the first sample */
    double offset;       /**< seconds */
    int32_t class_index; /**< earshot_model_label() names it */
    int32_t channel;     /**< counted from 1; 0: the mix of all */
    float peak;          /**< the highest probability within */
    float mean;          /**< the mean probability within */
    float confidence;    /**< if events are chosen by confidence, else 0 */
    uint32_t reserved;   /**< 0 */
} earshot_event;

/** What counts as an event. NaN stands for the model's own value. */
typedef struct earshot_rules {
    size_t size;         /**< sizeof(earshot_rules) */
    double threshold;    /**< of all classes: the probability from which a sound counts, 0 to 1 */
    double release;      /**< the probability below which it ends, at most the threshold */
    double min_duration; /**< seconds, 0 to 3600: shorter events are dropped */
    double merge_gap; /**< seconds, 0 to 3600: events nearer than this are joined; at least the model's own */
    int32_t median;   /**< columns of the median filter, odd, at most 99; 1: none */
    /** Other than 0: the model's confidence chooses the events instead of thresholds and the median filter.
     * The model must have been trained for it. */
    int32_t by_confidence;
    double confidence; /**< the least confidence of an event then, 0 to 1 */
    /** Thresholds of single classes, as many as the model has; NaN: as above. Null: none. */
    const float* class_thresholds;
    /** The classes to report, as many as the model has; 0: not this one. Null: all. */
    const uint8_t* reported;
} earshot_rules;
#define EARSHOT_RULES_INIT                                                                                   \
    { sizeof(earshot_rules), NAN, NAN, 0.0, 0.0, 1, 0, NAN, NULL, NULL }

/** How windows of audio are presented to the network (`--mode` in the manual). */
typedef enum earshot_mode {
    EARSHOT_MODE_AUTO = 0,
    EARSHOT_MODE_CROP = 1,
    EARSHOT_MODE_REPEAT = 2 /**< shorter windows: streams react faster */
} earshot_mode;

/**
 * Called about once for each second of audio, by the thread that called the library. It must not call the
 * library with the same stream, and must not throw.
 * @param done  the share that is done, 0 to 1; -1 if the length is not known
 * @return 0 to go on; anything else cancels
 */
typedef int (*earshot_progress)(void* user, double done);

/** A channel by itself, counted from 1, or one of these. */
#define EARSHOT_CHANNEL_MIX 0
#define EARSHOT_CHANNEL_EACH (-1) /**< one after the other; not for streams */

typedef struct earshot_analysis {
    size_t size;                /**< sizeof(earshot_analysis) */
    const earshot_rules* rules; /**< null: the model's own */
    double hop;                 /**< seconds from window to window; 0: the usual of the mode */
    int32_t mode;               /**< ::earshot_mode */
    int32_t channel; /**< which to analyse: EARSHOT_CHANNEL_MIX, EARSHOT_CHANNEL_EACH, or its number */
    /** Other than 0: keep the activations. They take columns x classes floats, and grow with the audio. */
    int32_t keep_activations;
    /** Of streams, other than 0: also report onsets as soon as they are likely
     * (earshot_stream_poll_changes()). */
    int32_t live;
    earshot_progress progress; /**< of analyses, not of streams; or null */
    void* user;                /**< for the progress function */
} earshot_analysis;
#define EARSHOT_ANALYSIS_INIT                                                                                \
    { sizeof(earshot_analysis), NULL, 0.0, EARSHOT_MODE_AUTO, EARSHOT_CHANNEL_MIX, 0, 0, NULL, NULL }

/** Samples in memory, nominally -1 to 1. Those that are not finite count as silence. */
typedef struct earshot_audio {
    size_t size;              /**< sizeof(earshot_audio) */
    const float* interleaved; /**< (frames, channels); or null */
    const float* const*
        planes;       /**< (channels) pointers to (frames) samples; or null, if `interleaved` is given */
    size_t frames;    /**< at least 1 */
    double rate;      /**< Hz, 1000 to 1000000 */
    int32_t channels; /**< 1 to 1024; the mix is their mean */
} earshot_audio;
#define EARSHOT_AUDIO_INIT                                                                                   \
    { sizeof(earshot_audio), NULL, NULL, 0, 0.0, 1 }

/** Events, and activations if they were kept. It stays valid when its model is closed. */
typedef struct earshot_result earshot_result;

/**
 * Analyses a recording in any of the formats that the command line reads, with the same events to the bit.
 * Memory does not grow with its length unless activations are kept.
 * @param analysis  null: EARSHOT_ANALYSIS_INIT
 * @return EARSHOT_FILE_ERROR if the file cannot be read to its end. Then `*result` is not null if there was
 * audio before the failure: it holds what was found up to there, and must be freed.
 */
EARSHOT_API earshot_status earshot_analyze_file(const earshot_model* model, const char* path,
                                                const earshot_analysis* analysis, earshot_result** result);
/** The same for samples in memory. Nothing is found in less than 0.05 s. */
EARSHOT_API earshot_status earshot_analyze_samples(const earshot_model* model, const earshot_audio* audio,
                                                   const earshot_analysis* analysis, earshot_result** result);

/** By onset. Valid until the result is freed; null if there are none. `count` may not be null. */
EARSHOT_API const earshot_event* earshot_result_events(const earshot_result* result, size_t* count);
/** Seconds of audio that were analysed. */
EARSHOT_API double earshot_result_duration(const earshot_result* result);
/** How many columns of activations were kept. */
EARSHOT_API size_t earshot_result_column_count(const earshot_result* result);
/** (columns, classes), probabilities. Valid until the result is freed; null if none were kept. */
EARSHOT_API const float* earshot_result_activations(const earshot_result* result);
/** Copies all of them. `capacity`: of `out`, in floats, at least columns x classes. */
EARSHOT_API earshot_status earshot_result_copy_activations(const earshot_result* result, float* out,
                                                           size_t capacity);
/** What the user should know of the audio, one remark a line; usually empty. */
EARSHOT_API const char* earshot_result_remarks(const earshot_result* result);
EARSHOT_API void earshot_result_free(earshot_result* result);

/**
 * Makes one vector of a recording, as `earshot embed --per file`: the mean over its windows. CLAP models give
 * a vector of the space that texts are embedded in too, others the network's own.
 * @param analysis  its channel (not EARSHOT_CHANNEL_EACH) and progress function count; null: the mix, and
 * none
 * @param capacity  of `out`, in floats, at least earshot_model_embedding_size()
 */
EARSHOT_API earshot_status earshot_embed_file(const earshot_model* model, const char* path,
                                              const earshot_analysis* analysis, float* out, size_t capacity);
EARSHOT_API earshot_status earshot_embed_samples(const earshot_model* model, const earshot_audio* audio,
                                                 const earshot_analysis* analysis, float* out,
                                                 size_t capacity);

/* ---- Streams
 * ----------------------------------------------------------------------------------------------- */

/**
 * Audio that comes piece by piece, with or without an end. Columns, and events, are given once they are
 * settled: no later audio changes them. With EARSHOT_MODE_AUTO and EARSHOT_MODE_CROP that is up to 11 s after
 * the sound has ended (models of the published sizes), with EARSHOT_MODE_REPEAT 3 s; `live` reports sooner.
 * What is not polled is kept.
 */
typedef struct earshot_stream earshot_stream;

/** @param rate  Hz, 1000 to 1000000; `channels` 1 to 1024. `analysis` null: EARSHOT_ANALYSIS_INIT. Its
 * `keep_activations` says whether there will be any to poll. */
EARSHOT_API earshot_status earshot_stream_open(const earshot_model* model, double rate, int32_t channels,
                                               const earshot_analysis* analysis, earshot_stream** stream);
/** Takes samples (frames, channels), any number, and runs the windows that they complete before it returns.
 * How the audio is cut into calls changes no result. */
EARSHOT_API earshot_status earshot_stream_push(earshot_stream* stream, const float* interleaved,
                                               size_t frames);
/** The same for (channels) pointers to (frames) samples. */
EARSHOT_API earshot_status earshot_stream_push_planar(earshot_stream* stream, const float* const* planes,
                                                      size_t frames);
/** The audio has ended: settles everything. All columns and events together then equal those that
 * earshot_analyze_samples() gives for the same audio. Nothing can be pushed any more. */
EARSHOT_API earshot_status earshot_stream_finish(earshot_stream* stream);
/** Moves up to `capacity` settled events to `out`, and says in `count` how many: by onset, except that one
 * may follow later ones if it lasted longer than these by more than 4 s. */
EARSHOT_API earshot_status earshot_stream_poll_events(earshot_stream* stream, earshot_event* out,
                                                      size_t capacity, size_t* count);
/** Moves up to `max_columns` settled columns (columns, classes) to `out`, and says in `columns` how many; the
 * first of them is column `*first_column` of the stream, which begins at that many steps. `first_column` may
 * be null. */
EARSHOT_API earshot_status earshot_stream_poll_activations(earshot_stream* stream, float* out,
                                                           size_t max_columns, size_t* columns,
                                                           uint64_t* first_column);

typedef enum earshot_change_kind { EARSHOT_ONSET = 1, EARSHOT_OFFSET = 2 } earshot_change_kind;
typedef struct earshot_change {
    int32_t kind;        /**< ::earshot_change_kind */
    uint32_t reserved;   /**< 0 */
    earshot_event event; /**< as known so far; an onset's has the offset so far */
} earshot_change;
/** Moves what has begun and ended, if the stream was opened with `live`: an onset as soon as the rules (by
 * thresholds) accept it after any pass, its offset when it is surely over. Nothing is withdrawn. The settled
 * event may have other times, or not exist. */
EARSHOT_API earshot_status earshot_stream_poll_changes(earshot_stream* stream, earshot_change* out,
                                                       size_t capacity, size_t* count);
/** How many frames were pushed, at the stream's rate. */
EARSHOT_API uint64_t earshot_stream_position(const earshot_stream* stream);
EARSHOT_API void earshot_stream_close(earshot_stream* stream);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(readability-identifier-naming) */

#endif
