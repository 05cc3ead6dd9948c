#!/usr/bin/env bash
# ffmpeg's "-ac 1" makes float output 3 dB louder than 16-bit output of the same stereo input.
# swresample mixes with 0.7071 for each channel, and scales the matrix down so that nothing clips only where the OUTPUT is
# of whole numbers. Two channels that are the same then come out 3 dB louder in float (pcm_f32le, "-f f32le" pipes), and
# as loud as they were in pcm_s16le or FLAC, so that results depend on the format that a tool asks ffmpeg for.
# For the mean in any format: -af aresample=rematrix_maxval=1.0 (before -ac 1), or -af 'pan=mono|c0=0.5*c0+0.5*c1'.
# Debian 12: ffmpeg (7:5.1).
set -euo pipefail
command -v ffmpeg >/dev/null || apt-get install -y -qq ffmpeg >/dev/null
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
ffmpeg -version | head -1
ffmpeg -v error -f lavfi -i 'aevalsrc=0.25*sin(2*PI*1000*t)|0.25*sin(2*PI*1000*t):s=32000:d=1' -c:a pcm_f32le "$work/stereo.wav"

level() { # of a file, in dB
    ffmpeg -hide_banner -i "$1" -af volumedetect -f null - 2>&1 | sed -n 's/.*mean_volume: \(.*\) dB/\1/p'
}
mono() { # a codec, and options before "-ac 1"
    ffmpeg -v error -i "$work/stereo.wav" "${@:2}" -ac 1 -c:a "$1" -y "$work/mono.wav"
    level "$work/mono.wav"
}
stereo=$(level "$work/stereo.wav")
whole=$(mono pcm_s16le) float=$(mono pcm_f32le)
limited=$(mono pcm_f32le -af aresample=rematrix_maxval=1.0)
printf 'two equal channels %s dB; -ac 1 to pcm_s16le %s dB, to pcm_f32le %s dB, with rematrix_maxval=1.0 %s dB\n' \
    "$stereo" "$whole" "$float" "$limited"
awk -v s="$stereo" -v w="$whole" -v f="$float" -v l="$limited" 'BEGIN {
    near(w - s, 0); near(f - s, 3); near(l - s, 0)
    exit changed
}
function near(a, b) { if (a - b > 0.15 || b - a > 0.15) changed = 1 }'
