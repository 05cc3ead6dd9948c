# Packages: `cpack --config build/release/CPackConfig.cmake` makes Debian packages of the components that install() names.
# Build them on the Debian release that they are for.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR Earshot)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGE_CONTACT "Earshot <earshot-audio@users.noreply.github.com>")
set(CPACK_PACKAGE_HOMEPAGE_URL "https://earshot-audio.github.io/earshot")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL earshot-data earshot libearshot0 libearshot-dev)
if(EARSHOT_PLUGIN)
    list(APPEND CPACK_COMPONENTS_ALL earshot-plugins earshot-app)
endif()
if(EARSHOT_PYTHON)
    list(APPEND CPACK_COMPONENTS_ALL python3-earshot)
endif()
if(EARSHOT_VAMP)
    list(APPEND CPACK_COMPONENTS_ALL earshot-vamp)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION sound)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# The version names the system's release, so that the package of a newer release is an upgrade: 0.3.0-1~deb12.
set(EARSHOT_PACKAGE_RELEASE 1)
set(EARSHOT_PACKAGE_DISTRIBUTION unstable)
if(EXISTS /etc/os-release)
    file(STRINGS /etc/os-release system REGEX "^(ID|VERSION_ID|VERSION_CODENAME)=")
    if("${system}" MATCHES "VERSION_ID=\"?([0-9.]+)")
        string(APPEND EARSHOT_PACKAGE_RELEASE "~deb${CMAKE_MATCH_1}")
    endif()
    if("${system}" MATCHES "VERSION_CODENAME=([a-z]+)")
        set(EARSHOT_PACKAGE_DISTRIBUTION ${CMAKE_MATCH_1})
    endif()
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE ${EARSHOT_PACKAGE_RELEASE})
set(EARSHOT_PACKAGE_VERSION ${PROJECT_VERSION}-${EARSHOT_PACKAGE_RELEASE})

# earshot_package(COMPONENT ARCHITECTURE DEPENDS SUMMARY LINES...)
function(earshot_package component architecture depends summary)
    string(TOUPPER ${component} key)
    list(JOIN ARGN "\n" lines)
    set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${component} PARENT_SCOPE)
    set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}\n${lines}" PARENT_SCOPE)
    set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
    if(architecture STREQUAL "all")
        set(CPACK_DEBIAN_${key}_PACKAGE_ARCHITECTURE all PARENT_SCOPE)
        set(CPACK_DEBIAN_${key}_PACKAGE_SHLIBDEPS OFF PARENT_SCOPE)
    endif()
endfunction()
set(data "earshot-data (= ${EARSHOT_PACKAGE_VERSION})")
# JUCE opens X11's libraries when a view opens and draws text with a font that is installed: no list of linked libraries
# shows these.
set(desktop "libx11-6, libxext6, libxcursor1, libxinerama1, libxrandr2, libxrender1, fonts-inter | fonts-dejavu-core")
earshot_package(earshot-data all "" "model and manual of Earshot"
    "Earshot listens to audio and says what is sounding, and when. This package"
    "holds the default model, which knows 82 sounds, and the manual.")
earshot_package(earshot any "${data}" "sound event detection on the command line"
    "Earshot listens to recordings of any length and says what is sounding, and"
    "when: as tables, CSV, JSON, labels of Audacity and Raven, subtitles or MIDI."
    "It analyses archives and learns new sounds. It runs HTS-AT, a Swin"
    "transformer over log-mel spectrograms, on the processor.")
earshot_package(earshot-plugins any "${data}, ${desktop}" "sound event detection as VST3 and LV2 plugins"
    "Earshot listens to a track of a digital audio workstation and says what is"
    "sounding, and when. Audio passes through unchanged. Events are shown live and"
    "can be sent or exported as MIDI.")
earshot_package(earshot-app any "${data}, ${desktop}" "desktop app that hears what is sounding"
    "Earshot listens to a microphone or to a recording and draws which sounds it"
    "hears, and when.")
set(CPACK_DEBIAN_EARSHOT-APP_PACKAGE_RECOMMENDS "libjack-jackd2-0 | libjack-0.125")

earshot_package(libearshot0 any "${data}" "sound event detection for other programs"
    "libearshot tells other programs which sounds are in recordings, in samples in"
    "memory and in live streams, and when, by a C header of 34 functions. It runs"
    "HTS-AT, a Swin transformer over log-mel spectrograms, on the processor.")
earshot_package(libearshot-dev any "libearshot0 (= ${EARSHOT_PACKAGE_VERSION})" "sound event detection, for development"
    "The header of libearshot, the library as an archive, and what CMake and"
    "pkg-config need to find both.")
set(CPACK_DEBIAN_LIBEARSHOT0_PACKAGE_SECTION libs)
file(GLOB control CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/Resources/packaging/libearshot0/*)
set(CPACK_DEBIAN_LIBEARSHOT0_PACKAGE_CONTROL_EXTRA ${control})
set(CPACK_DEBIAN_LIBEARSHOT-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBEARSHOT-DEV_PACKAGE_SHLIBDEPS OFF)

# Over libearshot, which dpkg-shlibdeps finds in the build tree.
set(library "libearshot0 (= ${EARSHOT_PACKAGE_VERSION})")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
if(EARSHOT_PYTHON)
    math(EXPR next "${Python_VERSION_MINOR} + 1")
    earshot_package(python3-earshot any
        "${library}, python3 (>= 3.${Python_VERSION_MINOR}), python3 (<< 3.${next}), python3-numpy"
        "sound event detection in Python"
        "The package earshot says which sounds are in recordings, in NumPy arrays and"
        "in live audio, and when: as NumPy arrays, tables of pandas, and CSV.")
    set(CPACK_DEBIAN_PYTHON3-EARSHOT_PACKAGE_SECTION python)
    set(CPACK_DEBIAN_PYTHON3-EARSHOT_PACKAGE_SUGGESTS "python3-pandas, python3-matplotlib")
    set(scripts ${PROJECT_SOURCE_DIR}/Resources/packaging/python3-earshot)
    set(CPACK_DEBIAN_PYTHON3-EARSHOT_PACKAGE_CONTROL_EXTRA ${scripts}/postinst ${scripts}/prerm)
endif()
earshot_package(earshot-vamp any "${library}" "sound event detection as a Vamp plugin"
    "Sonic Visualiser, Audacity and other hosts of Vamp say with it which sounds"
    "are in a recording, and when: as labels, and as a grid of probabilities.")
set(CPACK_DEBIAN_EARSHOT-VAMP_PACKAGE_SUGGESTS "sonic-visualiser | audacity")

# Documents in Debian's form; Resources/packaging/debian.cmake puts them into each package.
set(packaging ${PROJECT_SOURCE_DIR}/Resources/packaging)
set(documents ${CMAKE_BINARY_DIR}/packaging)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
configure_file(${PROJECT_SOURCE_DIR}/CHANGELOG.md ${documents}/changelog COPYONLY)
# An entry for each version of CHANGELOG.md, which says the rest.
file(STRINGS ${PROJECT_SOURCE_DIR}/CHANGELOG.md versions REGEX "^## \\[[0-9.]+\\] - [0-9-]+")
set(entries)
foreach(version IN LISTS versions)
    string(REGEX MATCH "^## \\[([0-9.]+)\\] - ([0-9-]+)" version "${version}")
    set(EARSHOT_ENTRY_VERSION ${CMAKE_MATCH_1}-${EARSHOT_PACKAGE_RELEASE})
    execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C date --utc --rfc-email --date=${CMAKE_MATCH_2}
                    OUTPUT_VARIABLE EARSHOT_ENTRY_DATE OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    file(READ ${packaging}/changelog.Debian entry)
    string(CONFIGURE "${entry}" entry @ONLY)
    string(APPEND entries "${entry}")
endforeach()
file(CONFIGURE OUTPUT ${documents}/changelog.Debian CONTENT "@entries@" @ONLY)
# Debian's JUCE says who wrote its parts and under which licences.
set(EARSHOT_JUCE_COMMENT)
set(EARSHOT_JUCE_COPYRIGHT)
if(EARSHOT_PLUGIN)
    set(EARSHOT_JUCE_COMMENT "\nComment: The plugins and the app contain JUCE ${EARSHOT_JUCE_VERSION}, which stands below. \
As a whole\n these programs are under its licence, ${EARSHOT_JUCE_LICENCE}.")
    set(debian /usr/share/doc/juce-modules-source/copyright)
    if(EARSHOT_JUCE_MODULES STREQUAL "/usr/share/juce/modules" AND EXISTS ${debian})
        file(READ ${debian} text)
        string(REGEX REPLACE "^.*\n\n(Files: [*]\n)" "\\1" text "${text}")
        string(REGEX REPLACE "(Files: |\n )([*]|(modules|ex|debian)[^ \n]*/)" "\\1JUCE/\\2" EARSHOT_JUCE_COPYRIGHT "${text}")
    else()
        set(EARSHOT_JUCE_COPYRIGHT "Files: JUCE/*\nCopyright: Raw Material Software Limited\nLicense: ${EARSHOT_JUCE_LICENCE}\n \
LICENSE.md of JUCE's sources lists its parts and their licences,\n \
https://github.com/juce-framework/JUCE/blob/${EARSHOT_JUCE_VERSION}/LICENSE.md\n")
    endif()
endif()
configure_file(${packaging}/copyright ${documents}/copyright @ONLY)
set(CPACK_PRE_BUILD_SCRIPTS ${packaging}/debian.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${packaging}/without-scripts.cmake)
set(CPACK_EARSHOT_DOCUMENTS ${documents})

include(CPack)
