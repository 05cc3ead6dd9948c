#!/usr/bin/env python3
"""Outputs of a model by PyTorch: torch_forward.py MODEL.safetensors CLIP.wav OUT.safetensors

CLIP: mono, 16 bit, at the model's rate, at most one window long (mode "fit": stretched to the window). OUT:
`framewise_output` (tokens, classes), `clipwise_output` (classes), `latent_output` (C). What
Tests/Golden/default_model_check.safetensors holds for the default model and input_10s.
"""
import json
import sys
import wave

import numpy as np
import torch
import torch.nn.functional as F

import torch_htsat


def mel_filters(config):
    """Slaney's scale and area normalisation (Slaney 1998): (n_fft / 2 + 1, mel_bins)."""
    knee, linear, log_step = 1000.0, 200.0 / 3.0, np.log(6.4) / 27.0

    def to_mel(hz):
        return hz / linear if hz < knee else knee / linear + np.log(hz / knee) / log_step

    def to_hz(mel):
        return mel * linear if mel < knee / linear else knee * np.exp(log_step * (mel - knee / linear))

    rate, size, bands = config["sample_rate"], config["n_fft"], config["mel_bins"]
    edges = np.array([to_hz(m) for m in np.linspace(to_mel(config["fmin"]), to_mel(config["fmax"]), bands + 2)])
    hz = np.arange(size // 2 + 1)[:, None] * rate / size
    rising = (hz - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - hz) / (edges[2:] - edges[1:-1])
    return np.maximum(0.0, np.minimum(rising, falling)) * 2.0 / (edges[2:] - edges[:-2])


def log_mel(samples, config, filters):
    size = config["n_fft"]
    window = torch.hann_window(size, dtype=torch.float64)
    spectrum = torch.stft(samples, size, config["hop_size"], window=window, pad_mode="reflect", return_complex=True)
    power = spectrum.abs().square().T
    return 10.0 * torch.log10(torch.clamp(power @ filters, min=1e-10))


def main():
    p, metadata = torch_htsat.read(sys.argv[1])
    config = json.loads(metadata["earshot.config"])
    with wave.open(sys.argv[2]) as file:
        assert file.getframerate() == config["sample_rate"] and file.getnchannels() == 1
        samples = np.frombuffer(file.readframes(file.getnframes()), dtype=np.int16) / 32768.0
    own = p.get("logmel_extractor.melW")
    filters = torch.from_numpy(mel_filters(config)) if own is None else own.double()
    frames = log_mel(torch.from_numpy(samples), config, filters)
    p = {name: tensor.double() for name, tensor in p.items()}
    length = config["spec_size"] * config["spec_size"] // config["mel_bins"]
    # The reference normalises, then stretches: the two commute but for rounding.
    x = F.interpolate(frames[None, None], (length, frames.shape[1]), mode="bicubic", align_corners=True)[0]
    stages = torch_htsat.stages(p, config, x)
    tokens = stages[-1]
    is_fine = config.get("head") == "fine"
    logits = (torch_htsat.fine_head(p, config, stages) if is_fine else torch_htsat.head(p, config, tokens))[0]
    torch_htsat.write(sys.argv[3], {
        "framewise_output": torch.sigmoid(logits),
        "clipwise_output": torch.sigmoid(logits.mean(0)),
        "latent_output": tokens[0].mean(0),
    })


if __name__ == "__main__":
    torch.set_num_threads(1)
    with torch.no_grad():
        main()
