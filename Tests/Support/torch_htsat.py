"""HTS-AT in PyTorch, written from the papers (Liu et al. 2021; Chen et al. 2022) with torch.nn.functional, and
safetensors files as far as the scripts beside this need them.
"""
import json
import struct

import numpy as np
import torch
import torch.nn.functional as F

DTYPES = {"F32": np.float32, "F16": np.float16}


def read(path):
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(size))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        values = np.frombuffer(data[first:last], dtype=DTYPES[entry["dtype"]]).reshape(entry["shape"])
        tensors[name] = torch.from_numpy(values.astype(np.float32))
    return tensors, metadata


def write(path, tensors):
    header, blobs, offset = {}, [], 0
    for name, tensor in tensors.items():
        blob = tensor.detach().numpy().astype(np.float32).tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [offset, offset + len(blob)]}
        blobs.append(blob)
        offset += len(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def to_windows(x, window):  # (S, H, W, C) -> (S * windows, window^2, C)
    s, h, w, c = x.shape
    x = x.view(s, h // window, window, w // window, window, c)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, window * window, c)


def from_windows(x, window, s, grid):
    side = grid // window
    x = x.view(s, side, side, window, window, -1)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(s, grid, grid, -1)


def relative_index(window):
    ys, xs = np.divmod(np.arange(window * window), window)
    rows = ys[:, None] - ys[None, :] + window - 1
    columns = xs[:, None] - xs[None, :] + window - 1
    return torch.from_numpy(rows * (2 * window - 1) + columns)


def shift_mask(grid, window, shift):
    region = torch.zeros(1, grid, grid, 1)
    edges = [slice(0, -window), slice(-window, -shift), slice(-shift, None)]
    for number, (rows, columns) in enumerate((r, c) for r in edges for c in edges):
        region[:, rows, columns] = number
    region = to_windows(region, window).squeeze(-1)
    apart = region[:, None, :] != region[:, :, None]
    return apart.float() * -100.0


def block(p, name, x, grid, window, heads, shift):
    s, _, c = x.shape
    kept = x
    y = F.layer_norm(x, (c,), p[name + ".norm1.weight"], p[name + ".norm1.bias"]).view(s, grid, grid, c)
    if shift:
        y = torch.roll(y, (-shift, -shift), (1, 2))
    y = to_windows(y, window)
    n = window * window
    qkv = F.linear(y, p[name + ".attn.qkv.weight"], p.get(name + ".attn.qkv.bias"))
    q, k, v = qkv.view(-1, n, 3, heads, c // heads).permute(2, 0, 3, 1, 4)
    scores = q * (c // heads) ** -0.5 @ k.transpose(-2, -1)
    bias = p[name + ".attn.relative_position_bias_table"][relative_index(window).view(-1)]
    scores = scores + bias.view(n, n, heads).permute(2, 0, 1)
    if shift:
        mask = shift_mask(grid, window, shift)
        scores = (scores.view(s, -1, heads, n, n) + mask[None, :, None]).view(-1, heads, n, n)
    y = (scores.softmax(-1) @ v).transpose(1, 2).reshape(-1, n, c)
    y = F.linear(y, p[name + ".attn.proj.weight"], p[name + ".attn.proj.bias"])
    y = from_windows(y, window, s, grid)
    if shift:
        y = torch.roll(y, (shift, shift), (1, 2))
    x = kept + y.reshape(s, grid * grid, c)
    y = F.layer_norm(x, (c,), p[name + ".norm2.weight"], p[name + ".norm2.bias"])
    y = F.gelu(F.linear(y, p[name + ".mlp.fc1.weight"], p[name + ".mlp.fc1.bias"]))
    return x + F.linear(y, p[name + ".mlp.fc2.weight"], p[name + ".mlp.fc2.bias"])


def merge(p, name, x, grid):
    s, _, c = x.shape
    x = x.view(s, grid, grid, c)
    x = torch.cat([x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]], -1)
    x = x.view(s, -1, 4 * c)
    x = F.layer_norm(x, (4 * c,), p[name + ".norm.weight"], p[name + ".norm.bias"])
    return F.linear(x, p[name + ".reduction.weight"])


def stages(p, config, log_mel, shown=1.0, training=False):
    """The tokens of each stage, (S, grid^2, C), of log_mel (S, frames, bands). Those of the last passed the final norm."""
    s, frames, bands = log_mel.shape
    side = config["spec_size"]
    x = log_mel.reshape(-1, bands)
    running = (None, None) if training else (p["bn0.running_mean"], p["bn0.running_var"])
    x = F.batch_norm(x, *running, p["bn0.weight"], p["bn0.bias"], training=training)
    x = x.view(s, frames, bands) * shown
    segments = side // bands
    image = x.view(s, segments, side, bands).permute(0, 1, 3, 2).reshape(s, 1, side, side)
    patch = config["patch_size"]
    x = F.conv2d(image, p["patch_embed.proj.weight"], p["patch_embed.proj.bias"], stride=patch)
    grid = x.shape[-1]
    x = x.flatten(2).transpose(1, 2)
    x = F.layer_norm(x, (x.shape[-1],), p["patch_embed.norm.weight"], p["patch_embed.norm.bias"])
    found = []
    for stage, depth in enumerate(config["depths"]):
        window = min(config["window_size"], grid)
        for index in range(depth):
            shift = window // 2 if index % 2 and grid > window else 0
            name = f"layers.{stage}.blocks.{index}"
            x = block(p, name, x, grid, window, config["num_heads"][stage], shift)
        found.append(x)
        if stage + 1 < len(config["depths"]):
            x = merge(p, f"layers.{stage}.downsample", x, grid)
            grid //= 2
    found[-1] = F.layer_norm(x, (x.shape[-1],), p["norm.weight"], p["norm.bias"])
    return found


def features(p, config, log_mel, shown=1.0, training=False):
    """The tokens of the last stage after the final norm: log_mel (S, frames, bands) -> (S, grid^2, C)."""
    return stages(p, config, log_mel, shown, training)[-1]


def by_time(config, x):
    """(S, grid^2, C) -> (S, C, rows of one time segment, time)"""
    s, tokens, c = x.shape
    grid = int(tokens**0.5)
    segments = config["spec_size"] // config["mel_bins"]
    rows = grid // segments
    return x.view(s, segments, rows, grid, c).permute(0, 4, 2, 1, 3).reshape(s, c, rows, segments * grid)


def head(p, config, x):
    """Logits per token of TSCAM: (S, grid^2, C) -> (S, tokens, classes)."""
    logits = F.conv2d(by_time(config, x), p["tscam_conv.weight"], p["tscam_conv.bias"], padding=(0, 1))
    return logits.squeeze(2).transpose(1, 2)


def fine_head(p, config, found):
    """Logits per step of a fine head (FineHead.h): stages() -> (S, steps, classes)."""
    total = 0.0
    for stage in range(1, len(found)):
        name = f"fine_head.stage{stage}"
        x = found[stage]
        if name + ".norm.weight" in p:
            x = F.layer_norm(x, (x.shape[-1],), p[name + ".norm.weight"], p[name + ".norm.bias"])
        x = by_time(config, x).permute(0, 3, 2, 1).flatten(2)  # (S, columns, rows * C)
        x = F.linear(x, p[name + ".proj.weight"], p.get(name + ".proj.bias"))
        steps = x.shape[1] if stage == 1 else total.shape[1]
        total = total + x.repeat_interleave(steps // x.shape[1], 1)
    x, width = total, (total.shape[-1],)
    for layer in range(config["head_layers"]):
        name = f"fine_head.mix{layer}"
        y = F.gelu(F.layer_norm(x, width, p[name + ".norm.weight"], p[name + ".norm.bias"]))
        kernel = p[name + ".conv.weight"].unflatten(1, (-1, *width)).transpose(1, 2)  # (width, width, steps)
        y = F.conv1d(y.transpose(1, 2), kernel, p[name + ".conv.bias"], padding=kernel.shape[-1] // 2)
        x = x + y.transpose(1, 2)
    x = F.layer_norm(x, width, p["fine_head.norm.weight"], p["fine_head.norm.bias"])
    return F.linear(x, p["fine_head.classes.weight"], p["fine_head.classes.bias"])
