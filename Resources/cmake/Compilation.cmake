# Three ways to compile faster. Sources compile without them, as clang-tidy and the preset `dev` show.

# Reads headers that take seconds (JUCE's, Catch2's) once per target. Sources include what they need all the same:
# clang's tools cannot read what GCC precompiled.
set(precompile OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(precompile ON)
endif()
option(EARSHOT_PRECOMPILED_HEADERS "Precompile the large headers of other projects" ${precompile})

# Compiles eight of Earshot's own sources as one (libraries, command line): the first build takes three fifths of the time.
# Who changes sources compiles less without.
option(EARSHOT_UNITY_BUILD "Compile several of Earshot's sources together" ON)

# earshot_unity(TARGETS...)
function(earshot_unity)
    if(EARSHOT_UNITY_BUILD)
        set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON)
    endif()
endfunction()

# earshot_precompile(TARGET HEADERS...): ours as <Room/Header.h>. The path of a checkout would keep ccache from serving others.
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

# Compiles the tests without optimisation, in some two thirds of the time. What they test is compiled as ever.
option(EARSHOT_PLAIN_TESTS "Compile the tests' own sources without optimisation" OFF)

# earshot_plain_tests(TARGET): a program of tests. The plain loops that tests compare with (Tests/Support) stay optimised.
function(earshot_plain_tests target)
    if(NOT EARSHOT_PLAIN_TESTS)
        return()
    endif()
    set_target_properties(${target} PROPERTIES EARSHOT_PLAIN ON) # Instrumentation.cmake
    # Without optimisation std::optional looks uninitialised to GCC, which it is not.
    target_compile_options(${target} PRIVATE -O0 $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "Support/.*[.]cpp$")
    set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS -O1)
    earshot_compile_plainly(${sources})
endfunction()
