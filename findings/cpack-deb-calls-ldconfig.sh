#!/usr/bin/env bash
# CPack's DEB generator gives a package with a shared library in /usr/lib or /usr/lib/ARCHITECTURE a postinst and a postrm that
# call ldconfig, as soon as it looks at shared libraries at all (CPACK_DEBIAN_PACKAGE_SHLIBDEPS). Debian's packages have had a trigger
# for it instead since 2015, and lintian warns of the scripts (maintscript-calls-ldconfig). With a `triggers` file in
# CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA the package has both: no variable says "no scripts", and one can only bring a postinst of one's own,
# of which lintian says that it is empty. What is left is to take them out of the finished .deb (CPACK_POST_BUILD_SCRIPTS).
# Debian 12: cmake, dpkg-dev, file, gcc, lintian.
set -euo pipefail
for program in cmake dpkg-shlibdeps file cc make lintian; do
    command -v "$program" >/dev/null || apt-get install -y -qq cmake dpkg-dev file gcc make lintian >/dev/null
done
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
echo 'int answer(void) { return 42; }' >answer.c
echo 'activate-noawait ldconfig' >triggers
cat >CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.25)
project(answer VERSION 1.0.0 LANGUAGES C)
add_library(answer SHARED answer.c)
set_target_properties(answer PROPERTIES SOVERSION 0 VERSION 0.1)
install(TARGETS answer LIBRARY DESTINATION lib NAMELINK_SKIP)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME libanswer0)
set(CPACK_PACKAGE_CONTACT "A <a@example.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/triggers)
include(CPack)
C
cmake -S . -B build -G "Unix Makefiles" >/dev/null
cmake --build build >/dev/null
(cd build && cpack >/dev/null)
cmake --version | head -n 1
dpkg-deb --ctrl-tarfile build/*.deb | tar -t | sort | tr '\n' ' '; echo
dpkg-deb --ctrl-tarfile build/*.deb | tar -xO ./postinst | grep -n ldconfig
lintian --allow-root --tags maintscript-calls-ldconfig build/*.deb | tee tags
[ "$(grep -c maintscript-calls-ldconfig tags)" = 2 ]
