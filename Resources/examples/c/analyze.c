/* Prints the sounds of a recording, each with its onset and offset in seconds.
 *
 *     cc analyze.c $(pkg-config --cflags --libs earshot) -o analyze
 *     ./analyze RECORDING [MODEL]
 *
 * This file may be used for any purpose. The library is under the GPL, version 3 or later.
 */
#include <earshot.h>
#include <stdio.h>

/* Called once for each second of audio. Anything but 0 would cancel the analysis. */
static int show(void* user, double done) {
    (void)user;
    if (done >= 0.0) fprintf(stderr, "\r%3.0f %%", 100.0 * done);
    return 0;
}

static int fail(const char* what) {
    fprintf(stderr, "%s: %s\n", what, earshot_last_error());
    return 1;
}

/* Prints what was found. Labels belong to the model, events to the result. */
static void print(const earshot_model* model, const earshot_result* result) {
    size_t count = 0;
    const earshot_event* events = earshot_result_events(result, &count);
    printf("onset_s,offset_s,label,peak\n");
    for (size_t i = 0; i < count; ++i)
        printf("%.3f,%.3f,\"%s\",%.6f\n", events[i].onset, events[i].offset,
               earshot_model_label(model, events[i].class_index), events[i].peak);
    if (*earshot_result_remarks(result) != '\0') fprintf(stderr, "%s\n", earshot_result_remarks(result));
}

int main(int argc, char** argv) {
    earshot_model* model = NULL;
    earshot_result* result = NULL;
    earshot_rules rules = EARSHOT_RULES_INIT; /* the model's own */
    earshot_analysis analysis = EARSHOT_ANALYSIS_INIT;
    earshot_status status;

    if (argc < 2) {
        fprintf(stderr, "usage: %s RECORDING [MODEL]\n", argv[0]);
        return 2;
    }
    if (earshot_abi_version() != EARSHOT_ABI_VERSION) {
        fprintf(stderr, "the library is another than the header that this was compiled with\n");
        return 1;
    }
    /* Without a name, the model that came with the library. One serves any number of recordings. */
    if (earshot_model_open(argc > 2 ? argv[2] : NULL, NULL, &model) != EARSHOT_OK) return fail("model");

    rules.min_duration = 0.1; /* seconds */
    analysis.rules = &rules;
    analysis.progress = show;
    status = earshot_analyze_file(model, argv[1], &analysis, &result);
    fprintf(stderr, "\r     \r");
    /* A file that breaks off is an error and still gives what was found before that. */
    if (result != NULL) print(model, result);

    earshot_result_free(result);
    earshot_model_close(model);
    return status == EARSHOT_OK ? 0 : fail("analysis");
}
