#!/usr/bin/env bash
# Makes a folder with the arm64 libraries of Debian 12 that the preset `arm64` builds with and qemu runs with. Debian's
# oneDNN cannot be installed for two architectures at once, so that a folder takes the place of multiarch packages.
#
#     Tests/Systems/arm64-root.sh [FOLDER]     default: build/systems/arm64
#
# EARSHOT_MIRROR is Debian's mirror (default: http://deb.debian.org/debian). It needs root and debootstrap.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-build/systems/arm64}
mirror=${EARSHOT_MIRROR:-http://deb.debian.org/debian}
[ "$(id -u)" = 0 ] || { echo "arm64-root.sh: run it as root: debootstrap needs it" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "arm64-root.sh: install debootstrap" >&2; exit 2; }
[ ! -e "$folder" ] || { echo "arm64-root.sh: $folder is there already; delete it or name another folder" >&2; exit 2; }
mkdir -p "$folder"

# The libraries of the project's own list; the build's tools and what draws a desktop stay out.
libraries=$(grep -E '^(lib|nlohmann|catch2|ocl-)' Resources/debian-packages.txt | grep -v jack | paste -sd,)
debootstrap --arch=arm64 --foreign --variant=minbase --include="$libraries" bookworm "$folder" "$mirror"
# Nothing is configured, which would need to run programs of that system: the files are enough.
for package in "$folder"/var/cache/apt/archives/*.deb; do dpkg -x "$package" "$folder"; done
rm -rf "$folder/var/cache/apt/archives"
# Links that begin with / lead to this machine's files.
find "$folder/usr/lib" -type l -lname '/*' | while read -r link; do
    ln -sfnr "$folder$(readlink "$link")" "$link"
done
echo "$folder: $(du -sh "$folder" | cut -f1)"
