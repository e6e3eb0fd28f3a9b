"""Writes gpt2-sharded/ and llama-bf16/ from the fixtures, with the libraries that users have.

Needs: torch, safetensors, huggingface_hub, h5py. Run in this folder.
"""
from pathlib import Path

import h5py
import torch
from huggingface_hub import save_torch_state_dict
from safetensors.torch import save_file


def read(name):
    """The state dict and the config of a fixture."""
    with h5py.File(f"../fixtures/{name}.h5") as file:
        tensors = {}
        file.visititems(
            lambda path, item: tensors.update({path.replace("/", "."): torch.tensor(item[()])})
            if isinstance(item, h5py.Dataset) else None)
        return tensors, file.attrs["config"]


def folder(name, config):
    Path(name).mkdir(exist_ok=True)
    Path(name, "config.json").write_text(config)
    return name


tensors, config = read("gpt2")
save_torch_state_dict(tensors, folder("gpt2-sharded", config), max_shard_size=150_000)

tensors, config = read("llama")
halves = {name: value.to(torch.bfloat16) for name, value in tensors.items()}
save_file(halves, folder("llama-bf16", config) + "/model.safetensors", {"format": "pt"})
