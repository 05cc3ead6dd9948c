#!/usr/bin/env Rscript
# One table of the sounds of many recordings, made by Earshot's Python package (packages r-cran-reticulate,
# python3-earshot, python3-pandas):
#
#     Rscript table.R events.csv RECORDING...
library(reticulate)

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) < 2) stop("usage: Rscript table.R TABLE.csv RECORDING...")
if (Sys.getenv("RETICULATE_PYTHON") == "") use_python("/usr/bin/python3", required = TRUE)

# R has no counterpart of a structured array: results stay Python's until they are a pandas table.
model <- import("earshot", convert = FALSE)$Model(threads = 0L) # one thread for each core
tables <- lapply(arguments[-1], function(file) {
    tryCatch(py_to_r(model$analyze(file)$to_pandas()), error = function(failure) {
        message(conditionMessage(failure))
        NULL
    })
})
events <- do.call(rbind, tables)
write.csv(events, arguments[1], row.names = FALSE)

# Seconds of each sound, most first.
print(sort(tapply(events$offset - events$onset, events$label, sum), decreasing = TRUE))
