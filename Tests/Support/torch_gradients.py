#!/usr/bin/env python3
"""Gradients of HTS-AT by PyTorch's autograd, for comparison: torch_gradients.py IN.safetensors OUT.safetensors

IN: the parameters by their reference names, `log_mel` (samples, frames, bands), `shown` (likewise; 0 where the
network must not look), `weights` (samples, tokens, classes); metadata: config as JSON under "earshot.config".
OUT: `logits`, and for sum(logits * weights) the gradient of every parameter.
"""
import json
import sys

import torch

import torch_htsat


def main():
    tensors, metadata = torch_htsat.read(sys.argv[1])
    config = json.loads(metadata["earshot.config"])
    given = {name: tensors.pop(name) for name in ("log_mel", "shown", "weights")}
    parameters = {name: tensor.requires_grad_() for name, tensor in tensors.items()}
    x = torch_htsat.features(parameters, config, given["log_mel"], given["shown"], training=True)
    logits = torch_htsat.head(parameters, config, x)
    (logits * given["weights"]).sum().backward()
    result = {name: tensor.grad for name, tensor in parameters.items()}
    result["logits"] = logits
    torch_htsat.write(sys.argv[2], result)


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
