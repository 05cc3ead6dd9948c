#!/usr/bin/env bash
# Debian's package vamp-examples has its Vamp plugins in /usr/lib/MULTIARCH/vamp, where Debian's own Vamp hosts do not look: the
# host SDK's default path (vamp-simple-host, Sonic Visualiser and Audacity have the same) ends with /usr/local/lib/vamp:/usr/lib/vamp.
# So vamp-simple-host, which is in the same package, finds none of the examples that it came with unless VAMP_PATH is set. A plugin
# that is to be found on Debian belongs into lib/vamp, not below GNUInstallDirs' CMAKE_INSTALL_LIBDIR, which is lib/MULTIARCH in packages.
# Debian 12: vamp-examples (2.10.0).
set -euo pipefail
command -v vamp-simple-host >/dev/null || apt-get install -y -qq vamp-examples >/dev/null
dpkg-query -W -f '${Package} ${Version}\n' vamp-examples
plugins=$(dpkg -L vamp-examples | grep '/vamp/.*\.so$')
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
echo "the package's plugins: $plugins"
echo "where its host looks:  $(HOME=$home vamp-simple-host -p)"
examples() { HOME=$home vamp-simple-host --list-ids 2>/dev/null | grep -c '^vamp:vamp-example-plugins:' || true; }
found=$(examples) with_path=$(VAMP_PATH=${plugins%/*} examples)
echo "examples found: $found; with VAMP_PATH=${plugins%/*}: $with_path"
case $(HOME=$home vamp-simple-host -p) in *"${plugins%/*}"*) exit 1 ;; esac
[ "$found" = 0 ] && [ "$with_path" -ge 5 ]
