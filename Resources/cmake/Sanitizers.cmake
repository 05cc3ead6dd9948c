# What EARSHOT_SANITIZE adds to everything that uses Earshot's targets, in a Release build: assertions, lines of the
# source for reports, and the optimisation that sanitizers like. JUCE's own flags: Juce.cmake.
target_compile_options(earshot_options INTERFACE "$<$<CONFIG:Release>:-O1;-g1;-UNDEBUG>"
    -fsanitize=${EARSHOT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
target_link_options(earshot_options INTERFACE -fsanitize=${EARSHOT_SANITIZE})

# The dearest checks to compile, of which AddressSanitizer reports what matters: null pointers that are followed and
# objects that end too early. Half of a build's time is theirs.
if(EARSHOT_SANITIZE MATCHES "undefined")
    target_compile_options(earshot_options INTERFACE -fno-sanitize=null,object-size,vptr)
endif()
