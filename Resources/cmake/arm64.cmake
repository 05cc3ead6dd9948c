# Cross-compiles for 64-bit ARM on Debian 12 (g++-aarch64-linux-gnu) and runs what is built with qemu-user-static.
# EARSHOT_SYSROOT is a folder with that system's libraries (Tests/Systems/arm64-root.sh makes one); the default is
# build/systems/arm64 in the project.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

if(NOT EARSHOT_SYSROOT)
    get_filename_component(EARSHOT_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/systems/arm64 ABSOLUTE)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES EARSHOT_SYSROOT)
if(NOT EXISTS ${EARSHOT_SYSROOT}/usr/lib/aarch64-linux-gnu)
    message(FATAL_ERROR "${EARSHOT_SYSROOT} is no arm64 system; make one with Tests/Systems/arm64-root.sh")
endif()
set(CMAKE_SYSROOT ${EARSHOT_SYSROOT})
# The cross compiler's own C++ library is used. The system's libraries need theirs only when they run.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--allow-shlib-undefined)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${EARSHOT_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${EARSHOT_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${EARSHOT_SYSROOT}/usr/share/pkgconfig)

# QEMU_CPU in the environment chooses the processor: cortex-a76 (NEON), max (SVE as well).
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${EARSHOT_SYSROOT})
