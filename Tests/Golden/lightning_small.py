#!/usr/bin/env python3
"""Made lightning_small.ckpt (PyTorch 1.13): a small checkpoint with all that published ones hold beside weights.

Usage: lightning_small.py OUT.ckpt
"""
import argparse
import collections
import sys
import types

import numpy as np
import torch


def stand_in(module, name, base=object):
    """A class under the name of one in a package that need not be installed."""
    made = type(name, (base,), {"__module__": module})
    parts = module.split(".")
    for i in range(len(parts)):
        sys.modules.setdefault(".".join(parts[: i + 1]), types.ModuleType(".".join(parts[: i + 1])))
    setattr(sys.modules[module], name, made)
    return made


ModelCheckpoint = stand_in("pytorch_lightning.callbacks.model_checkpoint", "ModelCheckpoint")
AttributeDict = stand_in("pytorch_lightning.utilities.parsing", "AttributeDict", dict)

# Subnormals, the smallest normal, signed zeros, infinities, NaN
half = torch.tensor([0x0001, 0x03FF, 0x0400, 0x3C00, -0x8000, 0x7BFF, 0x7C00, -0x0400, 0x7E01], dtype=torch.int16)
counted = torch.arange(12, dtype=torch.float32).reshape(3, 4)
state = collections.OrderedDict(
    [
        ("sed_model.patch_embed.proj.weight", torch.nn.Parameter(torch.arange(16.0).reshape(4, 1, 2, 2) / 4 - 2)),
        ("sed_model.half", half.view(torch.float16)),
        ("sed_model.brain", torch.tensor([1.0, -2.5, 3.0e38, 1.0e-40]).to(torch.bfloat16)),
        ("sed_model.double", torch.tensor([[0.1, -1e300], [1 / 3, 2.0**-149]], dtype=torch.float64)),
        ("sed_model.counted", counted),
        ("sed_model.transposed", counted.t()),
        ("sed_model.slice", counted[1:, ::2]),
        ("sed_model.expanded", torch.tensor([7.0, 8.0]).reshape(2, 1).expand(2, 3)),
        ("sed_model.batches", torch.tensor(1000)),
        ("sed_model.flags", torch.tensor([True, False])),
        ("sed_model.empty", torch.zeros(0, 3)),
    ]
)
state._metadata = collections.OrderedDict([("", {"version": 1})])
namespace = argparse.Namespace(dataset_path="/data/audioset", lr_scheduler_epoch=[10, 20, 30])
torch.save(
    {
        "epoch": 7,
        "global_step": 2**40,
        "big": -(2**200),
        "pytorch-lightning_version": "1.5.9",
        "optimizer_states": [
            {
                "state": {0: {"step": 3, "exp_avg": torch.full((4, 1, 2, 2), 9.0)}},
                "param_groups": [{"lr": 1e-3, "betas": (0.9, 0.999), "params": [0]}],
                # An average of the weights under the same names must not take their place.
                "average": {"sed_model.patch_embed.proj.weight": torch.full((4, 1, 2, 2), 9.0)},
            }
        ],
        "callbacks": {ModelCheckpoint: {"best_model_score": np.float64(0.41), "dirpath": ".", "best": torch.tensor(0.41)}},
        "hyper_parameters": AttributeDict(config=namespace, device=torch.device("cpu"), shape=torch.Size([2, 3])),
        "lr_schedulers": [{"base_lrs": [1e-3], "milestones": collections.Counter([10, 20]), "lr_lambdas": [None]}],
        "loops": {"seen": {1, 2}, "sizes": collections.defaultdict(int, a=1)},
        "ema": {"sed_model.patch_embed.proj.weight": torch.full((4, 1, 2, 2), 8.0)},
        "state_dict": state,
    },
    sys.argv[1],
)
