# What EARSHOT_SANITIZE and EARSHOT_COVERAGE add to everything that uses Earshot's targets, in a Release build.
# JUCE's own flags: Juce.cmake.

# Assertions, those of the standard library too (an index out of range, an empty optional).
target_compile_options(earshot_options INTERFACE
    "$<$<CONFIG:Release>:-g1;-UNDEBUG>" "$<$<AND:$<CONFIG:Release>,$<NOT:$<BOOL:$<TARGET_PROPERTY:EARSHOT_PLAIN>>>>:-O1>")
target_compile_definitions(earshot_options INTERFACE _GLIBCXX_ASSERTIONS)

if(EARSHOT_SANITIZE)
    target_compile_options(earshot_options INTERFACE
        -fsanitize=${EARSHOT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(earshot_options INTERFACE -fsanitize=${EARSHOT_SANITIZE})
endif()
# The slowest checks to compile, half of a build's time. AddressSanitizer reports what matters of them: null pointers
# that are followed, and objects that end too early.
if(EARSHOT_SANITIZE MATCHES "undefined")
    target_compile_options(earshot_options INTERFACE -fno-sanitize=null,object-size,vptr)
endif()

# Threads count the same lines: without atomic counters some counts are lost.
if(EARSHOT_COVERAGE)
    target_compile_options(earshot_options INTERFACE --coverage -fprofile-update=atomic)
    target_link_options(earshot_options INTERFACE --coverage)
endif()
