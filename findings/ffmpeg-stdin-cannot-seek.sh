#!/usr/bin/env bash
# ffmpeg does not seek in standard input, even if it is a plain file: "-i pipe:0" and "-i -" are streams to it, so that an M4A or MP4
# with its index at the end, as phones write it, fails ("moov atom not found"; "partial file"). "-i file:/dev/stdin" opens
# the same descriptor as a file, which seeks, and lets a program hand over an open file without its name: a name
# can never be an option, a protocol ("concat:", "http:") or a pattern then. (The fd: protocol that seeks came with ffmpeg 6.)
# Debian 12: ffmpeg (5.1).
set -euo pipefail
command -v ffmpeg >/dev/null || apt-get install -y -qq ffmpeg >/dev/null
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
ffmpeg -version | head -1
ffmpeg -v error -f lavfi -i sine=d=20:r=48000 -c:a aac -b:a 128k sound.m4a
bytes() { ffmpeg -v error -nostdin "$@" -f s16le pipe:1 2>/dev/null < sound.m4a | wc -c; }
stream=$(bytes -i pipe:0 || true) file=$(bytes -i file:/dev/stdin -map 0:a:0)
echo "20 s of AAC: $stream bytes of samples by pipe:0, $file by file:/dev/stdin"
[ "$stream" -lt 1000 ] && [ "$file" -gt 1900000 ]
