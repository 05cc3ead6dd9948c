#!/usr/bin/env python3
"""Makes demo.flac, the recording that Earshot's demo analyses: every sound in it is synthesised here.

    make_demo.py demo.flac        needs numpy, espeak-ng (for the voice) and sox

Prints what sounds and when, which is what a listener would write down.
"""
import subprocess, sys, tempfile, wave
import numpy as np

RATE = 48000
rng = np.random.default_rng(7)


def seconds(duration):
    return np.arange(int(duration * RATE)) / RATE


def band(x, low, high, slope=0.0):
    """Keeps low..high Hz and tilts the rest: amplitude ~ frequency^slope."""
    spectrum, f = np.fft.rfft(x), np.fft.rfftfreq(len(x), 1 / RATE)
    gain = ((f >= low) & (f <= high)) * np.where(f > 0, (np.maximum(f, 20) / 1000.0) ** slope, 0)
    return np.fft.irfft(spectrum * gain, len(x))


def noise(duration):
    return rng.standard_normal(int(duration * RATE))


def faded(x, attack=0.01, release=0.05):
    a, r, out = int(attack * RATE), int(release * RATE), x.copy()
    out[:a] *= np.linspace(0, 1, a)
    out[-r:] *= np.linspace(1, 0, r)
    return out


def level(x, peak):
    return x / np.abs(x).max() * peak


def place(track, sound, start):
    first = int(start * RATE)
    count = min(len(sound), len(track) - first)
    track[first:first + count] += sound[:count]


def partials(phase, amplitudes):
    return sum(a * np.sin((k + 1) * phase) for k, a in enumerate(amplitudes))


def speech(text, voice, speed):
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        subprocess.run(["espeak-ng", "-v", voice, "-s", str(speed), "-w", file.name, text], check=True)
        with wave.open(file.name) as w:
            x, rate = np.frombuffer(w.readframes(w.getnframes()), "<i2") / 32768, w.getframerate()
    count = len(x) * RATE // rate
    spectrum = np.zeros(count // 2 + 1, complex)
    source = np.fft.rfft(x)
    spectrum[:len(source)] = source[:len(spectrum)]
    return level(np.fft.irfft(spectrum, count), 0.5)


def flute(notes, length=0.8):
    track, t = np.zeros(int(len(notes) * length * RATE)), seconds(length)
    for i, f in enumerate(notes):
        phase = 2 * np.pi * np.cumsum(f * (1 + 0.006 * np.sin(2 * np.pi * 5 * t))) / RATE
        tone = partials(phase, [1, 0.35, 0.12, 0.05]) + 0.05 * band(noise(length), 500, 6000, -0.5)
        place(track, faded(tone, 0.06, 0.08), i * length)
    return level(track, 0.5)


def toms(duration):
    track, t = np.zeros(int(duration * RATE)), seconds(0.6)
    for i, start in enumerate(np.arange(0.0, duration - 0.6, 0.7)):
        f = (150, 120, 95)[i % 3] * (1 + 0.5 * np.exp(-25 * t))
        skin = np.sin(2 * np.pi * np.cumsum(f) / RATE) * np.exp(-7 * t)
        stick = 0.15 * band(noise(0.6), 300, 5000) * np.exp(-90 * t)
        place(track, skin + stick, start)
    return level(track, 0.6)


def clarinet(notes, length=0.8):
    track, t = np.zeros(int(len(notes) * length * RATE)), seconds(length)
    for i, f in enumerate(notes):
        tone = partials(2 * np.pi * f * t, [1, 0.05, 0.55, 0.06, 0.35, 0.08, 0.2, 0, 0.1, 0, 0.05])
        place(track, faded(tone, 0.04, 0.06), i * length)
    return level(track, 0.5)


def main():
    words = "Good morning. This is a recording from the north side of the house, at half past six."
    script = [  # start, what a listener would call it, sound, position from left (0) to right (1)
        (2.0, "Speech", speech(words, "en-us+f3", 160), 0.4),
        (9.0, "Flute", flute([523.3, 587.3, 659.3, 784.0, 659.3, 587.3]), 0.7),
        (16.0, "Tom", toms(5.0), 0.3),
        (23.0, "Noise", faded(level(noise(4.0), 0.4)), 0.5),
        (29.0, "Clarinet", clarinet([293.7, 349.2, 440.0, 392.0, 349.2]), 0.6),
    ]
    length = 35.0
    mix = np.stack([level(band(noise(length), 20, 16000, -0.5), 0.001) for _ in range(2)])
    for start, name, sound, position in script:
        place(mix[0], sound * np.cos(position * np.pi / 2) * 1.2, start)
        place(mix[1], sound * np.sin(position * np.pi / 2) * 1.2, start)
        print(f"{start:6.2f} {start + len(sound) / RATE:6.2f}  {name}")
    pcm = (np.clip(mix.T, -1, 1) * 32767).astype("<i2")
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        with wave.open(file.name, "wb") as w:
            w.setnchannels(2)
            w.setsampwidth(2)
            w.setframerate(RATE)
            w.writeframes(pcm.tobytes())
        subprocess.run(["sox", file.name, sys.argv[1]], check=True)


if __name__ == "__main__":
    main()
