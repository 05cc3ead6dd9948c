# The libraries Earshot stands on. An installed one is used when there is one (Debian 12's packages are in
# Resources/debian-packages.txt). Otherwise a pinned release is fetched over https, checked by its SHA-256, and built. OpenSSL,
# zlib, the codecs of libsndfile and what JUCE needs of a desktop are the system's.
include(FetchContent)
# Projects that are older than these policies take the options that are set here, too, when they are first configured.
set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)
set(CMAKE_POLICY_DEFAULT_CMP0126 NEW)
# CMake 4 refuses projects for CMake before 3.5, as oneDNN's, FFTW's and utf8proc's say they are, without this.
set(CMAKE_POLICY_VERSION_MINIMUM 3.5)
find_package(PkgConfig QUIET)
find_package(Threads REQUIRED)
find_package(OpenMP COMPONENTS CXX)

# A Linux system's C++ libraries are compiled with libstdc++. With libc++ fmt is headers alone, and Catch2 is compiled here.
string(FIND "${CMAKE_CXX_FLAGS}" -stdlib=libc++ libcxx)

# The relocatable archive (Resources/packaging/archive.sh) has libraries inside its programs and plugins. This folder holds
# static ones that the system does not have. oneDNN and libgomp stay shared.
set(EARSHOT_STATIC_LIBRARIES "" CACHE PATH "Link static libraries, of this folder first (for the relocatable archive)")
mark_as_advanced(EARSHOT_STATIC_LIBRARIES)
if(EARSHOT_STATIC_LIBRARIES)
    set(OPENSSL_USE_STATIC_LIBS ON)
    foreach(library PNG JPEG ZLIB) # of JUCE
        string(TOLOWER ${library} name)
        string(REPLACE zlib z name ${name})
        find_library(EARSHOT_STATIC_${name} lib${name}.a HINTS ${EARSHOT_STATIC_LIBRARIES} REQUIRED)
        set(${library}_LIBRARY ${EARSHOT_STATIC_${name}})
    endforeach()
    find_library(EARSHOT_STATIC_fmt libfmt.a PATHS ${EARSHOT_STATIC_LIBRARIES} NO_DEFAULT_PATH REQUIRED)
    find_package(fmt CONFIG REQUIRED)
    set_target_properties(fmt::fmt PROPERTIES IMPORTED_LOCATION_NONE ${EARSHOT_STATIC_fmt})
endif()

# earshot_pkgconfig(TARGET MODULE): an imported target from pkg-config, if the module is installed.
function(earshot_pkgconfig target module)
    if(PkgConfig_FOUND AND NOT TARGET ${target})
        string(MAKE_C_IDENTIFIER ${module} id)
        if(EARSHOT_STATIC_LIBRARIES)
            pkg_check_modules(EARSHOT_${id} QUIET REQUIRED ${module})
            add_library(earshot_static_${id} INTERFACE)
            target_include_directories(earshot_static_${id} SYSTEM INTERFACE ${EARSHOT_${id}_INCLUDE_DIRS})
            foreach(library IN LISTS EARSHOT_${id}_STATIC_LIBRARIES)
                # What has no static library is either in libc or for what Earshot leaves out.
                find_library(EARSHOT_STATIC_${library} lib${library}.a HINTS ${EARSHOT_STATIC_LIBRARIES})
                if(EARSHOT_STATIC_${library} AND NOT library MATCHES "^(m|pthread|dl)$")
                    target_link_libraries(earshot_static_${id} INTERFACE ${EARSHOT_STATIC_${library}})
                endif()
            endforeach()
            add_library(${target} ALIAS earshot_static_${id})
            return()
        endif()
        pkg_check_modules(EARSHOT_${id} QUIET IMPORTED_TARGET GLOBAL ${module})
        if(EARSHOT_${id}_FOUND)
            add_library(${target} ALIAS PkgConfig::EARSHOT_${id})
        endif()
    endif()
endfunction()

# earshot_fetch(NAME URL SHA256 [POPULATE_ONLY]): a pinned release, without its tests and programs, not installed. Its
# CMake project is added unless POPULATE_ONLY is given.
macro(earshot_fetch name url sha256)
    message(STATUS "${name} is not installed: fetching ${url}")
    set(BUILD_TESTING OFF)
    set(BUILD_SHARED_LIBS OFF)
    FetchContent_Declare(${name} URL ${url} URL_HASH SHA256=${sha256} DOWNLOAD_EXTRACT_TIMESTAMP FALSE)
    FetchContent_GetProperties(${name})
    string(TOLOWER ${name} key) # of the variables that it sets
    if(NOT ${key}_POPULATED)
        FetchContent_Populate(${name})
        if(NOT "${ARGN}" STREQUAL "POPULATE_ONLY")
            add_subdirectory(${${key}_SOURCE_DIR} ${${key}_BINARY_DIR} EXCLUDE_FROM_ALL SYSTEM)
        endif()
    endif()
endmacro()

# earshot_installed(PACKAGE NAMES COMPONENTS...): a library that is not fetched. NAMES: its packages on other systems
macro(earshot_installed package names)
    find_package(${package} QUIET ${ARGN})
    if(NOT ${package}_FOUND)
        message(FATAL_ERROR "${package} is not installed, and it is not fetched: install its headers (${names}) or name its folder "
                            "with -D ${package}_ROOT=FOLDER. Resources/manual/systems.md lists all packages")
    endif()
endmacro()

# oneDNN: the network's matrix products
find_package(dnnl CONFIG QUIET)
if(NOT TARGET DNNL::dnnl)
    set(DNNL_LIBRARY_TYPE STATIC)
    set(DNNL_BUILD_TESTS OFF)
    set(DNNL_BUILD_EXAMPLES OFF)
    set(ONEDNN_BUILD_GRAPH OFF)
    # What Tensor/Primitives.cpp uses, in a fraction of the time.
    set(ONEDNN_ENABLE_WORKLOAD INFERENCE)
    set(ONEDNN_ENABLE_PRIMITIVE "MATMUL;REORDER")
    if(OpenMP_CXX_FOUND)
        set(DNNL_CPU_RUNTIME OMP)
    else()
        set(DNNL_CPU_RUNTIME SEQ)
    endif()
    earshot_fetch(onednn https://github.com/oneapi-src/oneDNN/archive/refs/tags/v3.5.3.tar.gz
        ddbc26c75978c5e864050f699dbefbf5bff9c0b8d2af827845708e1376471f17)
    add_library(DNNL::dnnl ALIAS dnnl)
endif()

# FFTW, single precision: the short-time Fourier transform
earshot_pkgconfig(earshot::fftw fftw3f)
if(NOT TARGET earshot::fftw)
    set(ENABLE_FLOAT ON)
    set(BUILD_TESTS OFF)
    earshot_fetch(fftw https://www.fftw.org/fftw-3.3.10.tar.gz
        56c932549852cddcfafdab3820b0200c7742675be92179e59e6215b340e26467)
    target_include_directories(fftw3f SYSTEM INTERFACE $<BUILD_INTERFACE:${fftw_SOURCE_DIR}/api>)
    add_library(earshot::fftw ALIAS fftw3f)
endif()

# libsndfile: audio files
earshot_pkgconfig(earshot::sndfile sndfile)
if(NOT TARGET earshot::sndfile)
    set(BUILD_PROGRAMS OFF)
    set(BUILD_EXAMPLES OFF)
    set(ENABLE_CPACK OFF)
    set(ENABLE_PACKAGE_CONFIG OFF)
    earshot_fetch(sndfile https://github.com/libsndfile/libsndfile/releases/download/1.2.2/libsndfile-1.2.2.tar.xz
        3799ca9924d3125038880367bf1468e53a1b7e3686a934f098b7e1d286cdb80e)
    if(WIN32)
        target_compile_definitions(sndfile PRIVATE FLAC__NO_DLL) # libFLAC is a static library
    endif()
    get_directory_property(xiph DIRECTORY ${sndfile_SOURCE_DIR} DEFINITION HAVE_EXTERNAL_XIPH_LIBS)
    get_directory_property(mpeg DIRECTORY ${sndfile_SOURCE_DIR} DEFINITION HAVE_MPEG_LIBS)
    if(NOT xiph)
        message(WARNING "Earshot will read no FLAC (so that it cannot read its demo), Ogg, Vorbis or Opus: install the headers of "
                        "libFLAC, libogg, libvorbis and libopus, or of libsndfile, and configure in an empty folder")
    endif()
    if(NOT mpeg)
        message(WARNING "Earshot will read no MP3: install the headers of libmpg123 and libmp3lame, or of libsndfile, and "
                        "configure in an empty folder")
    endif()
    add_library(earshot::sndfile ALIAS sndfile)
endif()

# libsoxr: sample-rate conversion
earshot_pkgconfig(earshot::soxr soxr)
if(NOT TARGET earshot::soxr)
    set(WITH_OPENMP OFF)
    set(WITH_LSR_BINDINGS OFF)
    earshot_fetch(soxr https://downloads.sourceforge.net/project/soxr/soxr-0.1.3-Source.tar.xz
        b111c15fdc8c029989330ff559184198c161100a59312f5dc19ddeb9b5a15889 POPULATE_ONLY)
    # It looks for its own modules in the folder of the topmost project.
    list(APPEND CMAKE_MODULE_PATH ${soxr_SOURCE_DIR}/cmake/Modules)
    add_subdirectory(${soxr_SOURCE_DIR} ${soxr_BINARY_DIR} EXCLUDE_FROM_ALL SYSTEM)
    target_include_directories(soxr SYSTEM INTERFACE $<BUILD_INTERFACE:${soxr_SOURCE_DIR}/src>)
    add_library(earshot::soxr ALIAS soxr)
endif()

# libzip: PyTorch's checkpoints are zip archives
earshot_pkgconfig(earshot::zip libzip)
if(NOT TARGET earshot::zip)
    set(BUILD_TOOLS OFF)
    set(BUILD_REGRESS OFF)
    set(BUILD_EXAMPLES OFF)
    set(BUILD_DOC OFF)
    # PyTorch's archives are stored or deflated.
    foreach(unused COMMONCRYPTO GNUTLS MBEDTLS OPENSSL WINDOWS_CRYPTO BZIP2 LZMA ZSTD)
        set(ENABLE_${unused} OFF)
    endforeach()
    earshot_installed(ZLIB "zlib1g-dev, zlib-devel, zlib")
    earshot_fetch(libzip https://github.com/nih-at/libzip/releases/download/v1.10.1/libzip-1.10.1.tar.gz
        9669ae5dfe3ac5b3897536dc8466a874c8cf2c0e3b1fdd08d75b273884299363)
    add_library(earshot::zip ALIAS zip)
endif()

# libpng: the pixels of pictures
earshot_pkgconfig(earshot::png libpng)
if(NOT TARGET earshot::png)
    set(PNG_SHARED OFF)
    set(PNG_TESTS OFF)
    set(PNG_TOOLS OFF)
    set(SKIP_INSTALL_ALL ON)
    earshot_installed(ZLIB "zlib1g-dev, zlib-devel, zlib")
    earshot_fetch(libpng https://downloads.sourceforge.net/project/libpng/libpng16/1.6.44/libpng-1.6.44.tar.xz
        60c4da1d5b7f0aa8d158da48e8f8afa9773c1c8baa5d21974df61f1886b8ce8e)
    target_include_directories(png_static SYSTEM INTERFACE $<BUILD_INTERFACE:${libpng_SOURCE_DIR}> $<BUILD_INTERFACE:${libpng_BINARY_DIR}>)
    add_library(earshot::png ALIAS png_static)
endif()

# librsvg: pictures as PNG. It cannot be built here; without it pictures are SVG only.
if(NOT EARSHOT_STATIC_LIBRARIES)
    earshot_pkgconfig(earshot::rsvg librsvg-2.0)
endif()
if(NOT TARGET earshot::rsvg)
    message(STATUS "librsvg is not installed: pictures can be SVG, not PNG")
endif()

# SQLite: the journal of a batch, and results as a database
earshot_pkgconfig(earshot::sqlite sqlite3)
if(NOT TARGET earshot::sqlite)
    earshot_fetch(sqlite https://sqlite.org/2022/sqlite-amalgamation-3400100.zip
        49112cc7328392aa4e3e5dae0b2f6736d0153430143d21f69327788ff4efe734 POPULATE_ONLY)
    add_library(earshot_sqlite STATIC ${sqlite_SOURCE_DIR}/sqlite3.c)
    target_include_directories(earshot_sqlite SYSTEM PUBLIC ${sqlite_SOURCE_DIR})
    target_link_libraries(earshot_sqlite PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
    add_library(earshot::sqlite ALIAS earshot_sqlite)
endif()

# utf8proc: text in UTF-8
earshot_pkgconfig(earshot::utf8proc libutf8proc)
if(NOT TARGET earshot::utf8proc)
    earshot_fetch(utf8proc https://github.com/JuliaStrings/utf8proc/archive/refs/tags/v2.9.0.tar.gz
        18c1626e9fc5a2e192311e36b3010bfc698078f692888940f1fa150547abb0c1)
    target_include_directories(utf8proc SYSTEM INTERFACE $<BUILD_INTERFACE:${utf8proc_SOURCE_DIR}>)
    add_library(earshot::utf8proc ALIAS utf8proc)
endif()

# OpenSSL's libcrypto: the SHA-256 of a model. Windows has one of its own.
add_library(earshot_hash INTERFACE)
if(WIN32)
    target_link_libraries(earshot_hash INTERFACE bcrypt)
else()
    earshot_installed(OpenSSL "libssl-dev, openssl-devel, openssl" COMPONENTS Crypto)
    target_link_libraries(earshot_hash INTERFACE OpenSSL::Crypto)
endif()

find_package(nlohmann_json 3.9 CONFIG QUIET)
if(NOT TARGET nlohmann_json::nlohmann_json)
    earshot_fetch(nlohmann_json https://github.com/nlohmann/json/archive/refs/tags/v3.11.3.tar.gz
        0d8ef5af7f9794e3263480193c491549b2ba6cc74bb018906202ada498a79406)
endif()

find_package(fmt CONFIG QUIET)
if(NOT TARGET fmt::fmt)
    earshot_fetch(fmt https://github.com/fmtlib/fmt/archive/refs/tags/10.2.1.tar.gz
        1250e4cc58bf06ee631567523f48848dc4596133e163f02615c97f78bab6c811)
endif()
add_library(earshot_fmt INTERFACE)
if(libcxx EQUAL -1)
    target_link_libraries(earshot_fmt INTERFACE fmt::fmt)
else()
    target_link_libraries(earshot_fmt INTERFACE fmt::fmt-header-only)
endif()
add_library(earshot::fmt ALIAS earshot_fmt)

find_package(CLI11 CONFIG QUIET)
if(NOT TARGET CLI11::CLI11)
    earshot_fetch(CLI11 https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.2.tar.gz
        f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a)
endif()

# Boost's lock-free queues, headers only: between the audio thread and the worker
add_library(earshot_lockfree INTERFACE)
find_package(Boost 1.74 CONFIG QUIET)
if(NOT TARGET Boost::headers)
    find_package(Boost 1.74 QUIET) # headers without CMake's files
endif()
if(TARGET Boost::headers)
    target_link_libraries(earshot_lockfree INTERFACE Boost::headers)
else()
    set(BOOST_INCLUDE_LIBRARIES lockfree)
    earshot_fetch(boost https://github.com/boostorg/boost/releases/download/boost-1.84.0/boost-1.84.0.tar.xz
        2e64e5d79a738d0fa6fb546c6e5c2bd28f88d268a2a080546f74e5ff98f29d0e)
    target_link_libraries(earshot_lockfree INTERFACE Boost::lockfree)
endif()

if(EARSHOT_PLUGIN)
    include(${CMAKE_CURRENT_LIST_DIR}/Juce.cmake)
endif()

if(EARSHOT_TESTS)
    if(libcxx EQUAL -1)
        find_package(Catch2 QUIET)
    endif()
    if(NOT TARGET Catch2::Catch2)
        earshot_fetch(Catch2 https://github.com/catchorg/Catch2/archive/refs/tags/v3.5.4.tar.gz
            b7754b711242c167d8f60b890695347f90a1ebc95949a045385114165d606dbb)
        list(APPEND CMAKE_MODULE_PATH ${catch2_SOURCE_DIR}/extras ${catch2_SOURCE_DIR}/contrib) # 3.x, 2.13
    endif()
endif()
