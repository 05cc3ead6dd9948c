# Cross-compiles for Windows on Debian (g++-mingw-w64-x86-64-posix) and runs what is built with wine64. EARSHOT_SYSROOT is the
# folder that Tests/Systems/windows-sources.sh made; the default is build/systems/windows in the project.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

if(NOT EARSHOT_SYSROOT)
    get_filename_component(EARSHOT_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/systems/windows ABSOLUTE)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES EARSHOT_SYSROOT)
if(NOT EXISTS ${EARSHOT_SYSROOT}/sources.cmake)
    message(FATAL_ERROR "${EARSHOT_SYSROOT} holds no sources; get them with Tests/Systems/windows-sources.sh")
endif()
include(${EARSHOT_SYSROOT}/sources.cmake) # FETCHCONTENT_SOURCE_DIR_*
set(CMAKE_FIND_ROOT_PATH ${EARSHOT_SYSROOT}/prefix /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${EARSHOT_SYSROOT}/none)

# Win64 aligns the stack to 16 bytes and GCC does not align it further for vectors of 32 and 64 bytes (GCC bug 54412).
foreach(language C CXX)
    set(CMAKE_${language}_FLAGS_INIT "-Wa,-muse-unaligned-vector-move -D_WIN32_WINNT=0x0A00")
endforeach()
# No library beside the program, the compiler's included.
set(ZLIB_USE_STATIC_LIBS ON)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_CROSSCOMPILING_EMULATOR wine)
# CMake's own list, and what static libraries leave to those who link them: paths, and checked copies.
foreach(language C CXX)
    set(CMAKE_${language}_STANDARD_LIBRARIES
        "-lkernel32 -luser32 -lgdi32 -lwinspool -lshell32 -lole32 -loleaut32 -luuid -lcomdlg32 -ladvapi32 -lshlwapi -lssp"
        CACHE STRING "Libraries that every program is linked with")
endforeach()
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.a OUTPUT_VARIABLE gomp OUTPUT_STRIP_TRAILING_WHITESPACE)
set(OpenMP_gomp_LIBRARY ${gomp} CACHE FILEPATH "OpenMP inside the program: the compiler would take the DLL")
