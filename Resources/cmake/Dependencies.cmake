# The libraries Earshot stands on. An installed one is used when there is one (Debian 12's packages are in
# Resources/debian-packages.txt); otherwise a pinned release is fetched and built.
include(FetchContent)
find_package(PkgConfig QUIET)
find_package(Threads REQUIRED)
find_package(OpenMP COMPONENTS CXX)

# earshot_pkgconfig(TARGET MODULE): an imported target from pkg-config, if the module is installed.
function(earshot_pkgconfig target module)
    if(PkgConfig_FOUND AND NOT TARGET ${target})
        string(MAKE_C_IDENTIFIER ${module} id)
        pkg_check_modules(EARSHOT_${id} QUIET IMPORTED_TARGET GLOBAL ${module})
        if(EARSHOT_${id}_FOUND)
            add_library(${target} ALIAS PkgConfig::EARSHOT_${id})
        endif()
    endif()
endfunction()

# earshot_fetch(NAME REPOSITORY TAG): a pinned release, without its tests and programs, not installed.
macro(earshot_fetch name repository tag)
    message(STATUS "${name} is not installed: fetching ${tag}")
    set(BUILD_TESTING OFF)
    set(BUILD_SHARED_LIBS OFF)
    FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${tag} GIT_SHALLOW TRUE)
    FetchContent_GetProperties(${name})
    if(NOT ${name}_POPULATED)
        FetchContent_Populate(${name})
        add_subdirectory(${${name}_SOURCE_DIR} ${${name}_BINARY_DIR} EXCLUDE_FROM_ALL SYSTEM)
    endif()
endmacro()

# oneDNN: the network's matrix products
find_package(dnnl CONFIG QUIET)
if(NOT TARGET DNNL::dnnl)
    set(DNNL_LIBRARY_TYPE STATIC)
    set(DNNL_BUILD_TESTS OFF)
    set(DNNL_BUILD_EXAMPLES OFF)
    set(ONEDNN_BUILD_GRAPH OFF)
    if(OpenMP_CXX_FOUND)
        set(DNNL_CPU_RUNTIME OMP)
    else()
        set(DNNL_CPU_RUNTIME SEQ)
    endif()
    earshot_fetch(onednn https://github.com/oneapi-src/oneDNN.git v3.5.3)
    add_library(DNNL::dnnl ALIAS dnnl)
endif()

# FFTW, single precision: the short-time Fourier transform
earshot_pkgconfig(earshot::fftw fftw3f)
if(NOT TARGET earshot::fftw)
    message(STATUS "FFTW is not installed: fetching 3.3.10")
    FetchContent_Declare(fftw URL https://www.fftw.org/fftw-3.3.10.tar.gz
        URL_HASH SHA256=56c932549852cddcfafdab3820b0200c7742675be92179e59e6215b340e26467)
    set(ENABLE_FLOAT ON)
    set(BUILD_TESTS OFF)
    set(BUILD_SHARED_LIBS OFF)
    FetchContent_GetProperties(fftw)
    if(NOT fftw_POPULATED)
        FetchContent_Populate(fftw)
        add_subdirectory(${fftw_SOURCE_DIR} ${fftw_BINARY_DIR} EXCLUDE_FROM_ALL)
    endif()
    target_include_directories(fftw3f SYSTEM INTERFACE ${fftw_SOURCE_DIR}/api)
    add_library(earshot::fftw ALIAS fftw3f)
endif()

# libsndfile: audio files
earshot_pkgconfig(earshot::sndfile sndfile)
if(NOT TARGET earshot::sndfile)
    set(BUILD_PROGRAMS OFF)
    set(BUILD_EXAMPLES OFF)
    set(ENABLE_CPACK OFF)
    set(ENABLE_PACKAGE_CONFIG OFF)
    earshot_fetch(sndfile https://github.com/libsndfile/libsndfile.git 1.2.2)
    add_library(earshot::sndfile ALIAS sndfile)
endif()

# libsoxr: sample-rate conversion
earshot_pkgconfig(earshot::soxr soxr)
if(NOT TARGET earshot::soxr)
    set(WITH_OPENMP OFF)
    set(WITH_LSR_BINDINGS OFF)
    earshot_fetch(soxr https://github.com/chirlu/soxr.git 0.1.3)
    target_include_directories(soxr SYSTEM INTERFACE ${soxr_SOURCE_DIR}/src)
    add_library(earshot::soxr ALIAS soxr)
endif()

# libzip: PyTorch's checkpoints are zip archives
earshot_pkgconfig(earshot::zip libzip)
if(NOT TARGET earshot::zip)
    set(BUILD_TOOLS OFF)
    set(BUILD_REGRESS OFF)
    set(BUILD_EXAMPLES OFF)
    set(BUILD_DOC OFF)
    earshot_fetch(libzip https://github.com/nih-at/libzip.git v1.10.1)
    add_library(earshot::zip ALIAS zip)
endif()

# libpng: the pixels of pictures
earshot_pkgconfig(earshot::png libpng)
if(NOT TARGET earshot::png)
    set(PNG_SHARED OFF)
    set(PNG_TESTS OFF)
    set(PNG_TOOLS OFF)
    set(SKIP_INSTALL_ALL ON)
    earshot_fetch(libpng https://github.com/pnggroup/libpng.git v1.6.44)
    target_include_directories(png_static SYSTEM INTERFACE ${libpng_SOURCE_DIR} ${libpng_BINARY_DIR})
    add_library(earshot::png ALIAS png_static)
endif()

# librsvg: pictures as PNG. It cannot be built here; without it pictures are SVG only.
earshot_pkgconfig(earshot::rsvg librsvg-2.0)
if(NOT TARGET earshot::rsvg)
    message(STATUS "librsvg is not installed: pictures can be SVG, not PNG")
endif()

# SQLite: the journal of a batch, and results as a database
earshot_pkgconfig(earshot::sqlite sqlite3)
if(NOT TARGET earshot::sqlite)
    message(STATUS "SQLite is not installed: fetching 3.40.1")
    FetchContent_Declare(sqlite URL https://sqlite.org/2022/sqlite-amalgamation-3400100.zip
        URL_HASH SHA256=49112cc7328392aa4e3e5dae0b2f6736d0153430143d21f69327788ff4efe734)
    FetchContent_GetProperties(sqlite)
    if(NOT sqlite_POPULATED)
        FetchContent_Populate(sqlite)
    endif()
    add_library(earshot_sqlite STATIC ${sqlite_SOURCE_DIR}/sqlite3.c)
    target_include_directories(earshot_sqlite SYSTEM PUBLIC ${sqlite_SOURCE_DIR})
    target_link_libraries(earshot_sqlite PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
    add_library(earshot::sqlite ALIAS earshot_sqlite)
endif()

# utf8proc: text in UTF-8
earshot_pkgconfig(earshot::utf8proc libutf8proc)
if(NOT TARGET earshot::utf8proc)
    earshot_fetch(utf8proc https://github.com/JuliaStrings/utf8proc.git v2.9.0)
    target_include_directories(utf8proc SYSTEM INTERFACE ${utf8proc_SOURCE_DIR})
    add_library(earshot::utf8proc ALIAS utf8proc)
endif()

# OpenSSL's libcrypto: the SHA-256 of a model
find_package(OpenSSL REQUIRED COMPONENTS Crypto)

find_package(nlohmann_json 3.9 CONFIG QUIET)
if(NOT TARGET nlohmann_json::nlohmann_json)
    earshot_fetch(nlohmann_json https://github.com/nlohmann/json.git v3.11.3)
endif()

find_package(fmt CONFIG QUIET)
if(NOT TARGET fmt::fmt)
    earshot_fetch(fmt https://github.com/fmtlib/fmt.git 10.2.1)
endif()

find_package(CLI11 CONFIG QUIET)
if(NOT TARGET CLI11::CLI11)
    earshot_fetch(CLI11 https://github.com/CLIUtils/CLI11.git v2.4.2)
endif()

# Boost's lock-free queues, headers only: between the audio thread and the worker
add_library(earshot_lockfree INTERFACE)
find_package(Boost 1.74 CONFIG QUIET)
if(TARGET Boost::headers)
    target_link_libraries(earshot_lockfree INTERFACE Boost::headers)
else()
    message(STATUS "Boost is not installed: fetching 1.84.0")
    FetchContent_Declare(boost
        URL https://github.com/boostorg/boost/releases/download/boost-1.84.0/boost-1.84.0.tar.xz
        URL_HASH SHA256=2e64e5d79a738d0fa6fb546c6e5c2bd28f88d268a2a080546f74e5ff98f29d0e)
    set(BOOST_INCLUDE_LIBRARIES lockfree)
    FetchContent_MakeAvailable(boost)
    target_link_libraries(earshot_lockfree INTERFACE Boost::lockfree)
endif()

if(EARSHOT_PLUGIN)
    include(${CMAKE_CURRENT_LIST_DIR}/Juce.cmake)
endif()

if(EARSHOT_TESTS)
    find_package(Catch2 QUIET)
    if(NOT TARGET Catch2::Catch2)
        earshot_fetch(Catch2 https://github.com/catchorg/Catch2.git v3.5.4)
        list(APPEND CMAKE_MODULE_PATH ${Catch2_SOURCE_DIR}/extras)
    endif()
endif()
