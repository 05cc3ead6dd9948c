# Headers that take seconds to read (JUCE's, Catch2's) can be read once per target. Sources include what they need all
# the same, and compile without this as well: clang's tools, for example, cannot read what GCC precompiled.
option(EARSHOT_PRECOMPILED_HEADERS "Precompile the large headers of other people" OFF)

# earshot_precompile(TARGET HEADERS...)
# earshot_precompile(TARGET REUSE_FROM OTHER): those of a target that is compiled just like it
function(earshot_precompile target)
    if(EARSHOT_PRECOMPILED_HEADERS AND ARGV1 STREQUAL "REUSE_FROM")
        target_precompile_headers(${target} REUSE_FROM ${ARGV2})
    elseif(EARSHOT_PRECOMPILED_HEADERS)
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
endfunction()

# Sources that must be first to see a header, or see none of them.
function(earshot_compile_plainly)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
endfunction()
