# JUCE, compiled once: `earshot_juce` holds the modules that the plugin, the app and their tests share.
# An installed JUCE is used (Debian 12: juce-modules-source), or the one FETCHCONTENT_SOURCE_DIR_JUCE names;
# otherwise a pinned release is fetched.
if(NOT DEFINED FETCHCONTENT_SOURCE_DIR_JUCE)
    find_package(JUCE CONFIG QUIET)
endif()
if(NOT COMMAND juce_add_plugin)
    message(STATUS "JUCE is not installed: fetching 8.0.12")
    # The commit of the tag 8.0.12: git checks what it fetches by that hash.
    FetchContent_Declare(JUCE GIT_REPOSITORY https://github.com/juce-framework/JUCE.git
                         GIT_TAG 29396c22c93392d6738e021b83196283d6e4d850)
    FetchContent_MakeAvailable(JUCE)
endif()
# Each module's header says which JUCE it is of, whoever added JUCE.
get_target_property(EARSHOT_JUCE_MODULES juce::juce_core INTERFACE_JUCE_MODULE_PATH)
file(STRINGS ${EARSHOT_JUCE_MODULES}/juce_core/juce_core.h version REGEX "^ *version:")
string(REGEX MATCH "[0-9.]+" EARSHOT_JUCE_VERSION "${version}")
if(NOT EARSHOT_JUCE_VERSION VERSION_GREATER_EQUAL 7.0.5)
    message(FATAL_ERROR "${EARSHOT_JUCE_MODULES} is of JUCE '${EARSHOT_JUCE_VERSION}', but 7.0.5 or newer is needed: install it, "
                        "name its sources (-D FETCHCONTENT_SOURCE_DIR_JUCE=FOLDER), or build without the plugin and the app "
                        "(-D EARSHOT_PLUGIN=OFF)")
endif()
# The licence of the plugins and the app as a whole.
set(EARSHOT_JUCE_LICENCE GPL-3)
if(EARSHOT_JUCE_VERSION VERSION_GREATER_EQUAL 8)
    set(EARSHOT_JUCE_LICENCE AGPL-3)
endif()

set(earshot_juce_modules
    juce::juce_audio_basics juce::juce_audio_devices juce::juce_audio_formats juce::juce_audio_processors
    juce::juce_audio_utils juce::juce_core juce::juce_cryptography juce::juce_data_structures
    juce::juce_events juce::juce_graphics juce::juce_gui_basics juce::juce_gui_extra juce::juce_osc)

add_library(earshot_juce STATIC)
target_link_libraries(earshot_juce
    PRIVATE ${earshot_juce_modules} juce::juce_recommended_config_flags)
target_compile_definitions(earshot_juce PUBLIC
    JUCE_GLOBAL_MODULE_SETTINGS_INCLUDED=1
    JUCE_DISPLAY_SPLASH_SCREEN=0 JUCE_REPORT_APP_USAGE=0 JUCE_WEB_BROWSER=0 JUCE_USE_CURL=0
    JUCE_USE_FLAC=0 JUCE_USE_OGGVORBIS=0 # Debian's JUCE comes without both; libsndfile reads our files
    JUCE_VST3_CAN_REPLACE_VST2=0 JUCE_STRICT_REFCOUNTEDPOINTER=1 JUCE_MODAL_LOOPS_PERMITTED=0
    JUCE_PLUGINHOST_VST3=1 JUCE_PLUGINHOST_LV2=1)
# Debian's JUCE uses the system's image and compression libraries instead of copies of its own.
foreach(library PNG JPEG ZLIB)
    find_package(${library} QUIET)
    if(${library}_FOUND)
        target_link_libraries(earshot_juce PUBLIC ${library}::${library})
    endif()
endforeach()
# The desktop app speaks JACK where its headers are installed; the library itself is opened at run time.
find_path(EARSHOT_JACK_HEADERS jack/jack.h)
mark_as_advanced(EARSHOT_JACK_HEADERS)
if(EARSHOT_JACK_HEADERS)
    target_compile_definitions(earshot_juce PUBLIC JUCE_JACK=1 PRIVATE JUCE_JACK_CLIENT_NAME="Earshot")
endif()
# Where assertions are on, so are JUCE's: a failed one is a line on stderr, and CTest fails the test (Tests/).
if(EARSHOT_SANITIZE)
    target_compile_definitions(earshot_juce PUBLIC JUCE_LOG_ASSERTIONS=1)
endif()
# ThreadSanitizer must see the locks and atomics of every thread. The other sanitizers look for mistakes in Earshot:
# for them JUCE is compiled as in a release, where ccache has it already.
if(EARSHOT_SANITIZE MATCHES "thread")
    target_compile_options(earshot_juce PRIVATE -O1 -g1 -fsanitize=thread -fno-omit-frame-pointer)
endif()
# Who links earshot_juce sees the modules' headers and definitions and compiles none of them again. The modules say
# NDEBUG and _NDEBUG of themselves, which are one to JUCE; NDEBUG is the build type's, so that assertions are the same
# in all of Earshot.
target_include_directories(earshot_juce SYSTEM INTERFACE
    $<TARGET_PROPERTY:earshot_juce,INCLUDE_DIRECTORIES>)
target_compile_definitions(earshot_juce INTERFACE
    $<FILTER:$<TARGET_PROPERTY:earshot_juce,COMPILE_DEFINITIONS>,EXCLUDE,^NDEBUG=>)
set_target_properties(earshot_juce PROPERTIES POSITION_INDEPENDENT_CODE ON
    VISIBILITY_INLINES_HIDDEN ON C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)
