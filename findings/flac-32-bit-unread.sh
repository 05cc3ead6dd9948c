#!/usr/bin/env bash
# libsndfile 1.2 does not read 32-bit FLAC, which flac writes since 1.4, although the libFLAC that it is linked with decodes
# it: flac.c knows 8, 16 and 24 bits alone and calls everything else an unsupported encoding. flac itself and ffmpeg read it:
# "flac -d -o out.wav FILE".
# Debian 12: flac (1.4.2), sndfile-programs (libsndfile 1.2.0), ffmpeg (5.1).
set -euo pipefail
for program in flac sndfile-info ffmpeg; do
    command -v "$program" >/dev/null || apt-get install -y -qq flac sndfile-programs ffmpeg >/dev/null
done
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
ffmpeg -v error -f lavfi -i sine=d=1:r=8000 -c:a pcm_s32le -bitexact sound.wav
flac --silent sound.wav -o sound.flac
flac --version; ffmpeg -version | head -1
sndfile=$(sndfile-info sound.flac 2>&1 | grep -c '^Duration' || true)
ffmpeg=$(ffmpeg -v error -i sound.flac -f null - >/dev/null 2>&1 && echo 1 || echo 0)
flac=$(flac --silent -d sound.flac -o back.wav && cmp -s <(tail -c 32000 sound.wav) <(tail -c 32000 back.wav) && echo 1 || echo 0)
echo "32-bit FLAC read by libsndfile: $sndfile, ffmpeg: $ffmpeg, flac: $flac"
[ "$sndfile$ffmpeg$flac" = 011 ]
