# Earshot in other people's programs, over the C library: EARSHOT_PYTHON, EARSHOT_VAMP. AUTO builds what can be built with
# what is installed (Resources/debian-packages-hosts.txt), and says so where it cannot. Not for other machines, sanitizers
# (the interpreter and hosts have none), the relocatable archive and projects that Earshot is a part of.
set(bindings OFF)
if(PROJECT_IS_TOP_LEVEL AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT CMAKE_CROSSCOMPILING AND NOT EARSHOT_SANITIZE
   AND NOT EARSHOT_STATIC_LIBRARIES)
    set(bindings ON)
endif()

# earshot_binding(NAME FOUND PACKAGES): the option EARSHOT_NAME; ON needs what was looked for, AUTO does without.
macro(earshot_binding name found packages)
    if(EARSHOT_${name} STREQUAL "AUTO" AND bindings AND ${found})
        set(EARSHOT_${name} ON)
    elseif(EARSHOT_${name} STREQUAL "AUTO")
        set(EARSHOT_${name} OFF)
        message(STATUS "EARSHOT_${name}: not built (it needs ${packages})")
    elseif(EARSHOT_${name} AND NOT ${found})
        message(FATAL_ERROR "EARSHOT_${name}=ON: install ${packages}, and configure in an empty folder")
    endif()
endmacro()

set(EARSHOT_PYTHON AUTO CACHE STRING
    "Build the Python package: ON, OFF, or AUTO, where pybind11 and Python's headers are installed")
if(EARSHOT_PYTHON)
    # Debian's pybind11 and NumPy belong to its own interpreter, whatever else is first on the path.
    if(NOT DEFINED Python_EXECUTABLE AND EXISTS /etc/debian_version AND EXISTS /usr/bin/python3)
        set(Python_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The Python that the package is for")
    endif()
    find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
    if(Python_FOUND)
        find_package(pybind11 2.10 CONFIG QUIET)
    endif()
endif()
earshot_binding(PYTHON pybind11_FOUND "pybind11-dev, python3-dev")

set(EARSHOT_VAMP AUTO CACHE STRING "Build the Vamp plugin: ON, OFF, or AUTO, where Vamp's SDK is installed")
if(EARSHOT_VAMP)
    earshot_pkgconfig(earshot::vamp vamp-sdk)
endif()
set(vamp_found OFF)
if(TARGET earshot::vamp)
    set(vamp_found ON)
endif()
earshot_binding(VAMP vamp_found "vamp-plugin-sdk")
