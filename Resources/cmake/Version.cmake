# Writes the version and the commit for Core/Base/Version.cpp. It runs at every build and changes the file only if they
# have changed.
#
#     cmake -D SOURCE=... -D VERSION=... -D COMMIT=... -D OUTPUT=... -P Version.cmake
#
# COMMIT is what EARSHOT_COMMIT says (for sources without a git repository); if it is empty, git is asked.
cmake_minimum_required(VERSION 3.25)
if(NOT COMMIT)
    find_program(GIT git)
    if(GIT AND EXISTS ${SOURCE}/.git)
        execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=10 HEAD
                        OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
        execute_process(COMMAND ${GIT} -C ${SOURCE} status --porcelain --untracked-files=no
                        OUTPUT_VARIABLE changes ERROR_QUIET)
        if(failed)
            set(COMMIT)
        elseif(changes)
            string(APPEND COMMIT "+")
        endif()
    endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
     "#define EARSHOT_VERSION \"@VERSION@\"\n#define EARSHOT_COMMIT \"@COMMIT@\"\n")
