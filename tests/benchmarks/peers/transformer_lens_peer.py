"""TransformerLens (4.0 or newer) with its cache: run_with_cache on a bridged random model."""
import importlib.metadata

import torch
from transformer_lens.model_bridge.sources import build_bridge_from_module

import common
from transformers_peer import random_model


class TransformerLensPeer:
    name = "TransformerLens"
    patterns_kept = 2  # and the scores
    patterns_in_flight = 3
    activations_kept = 23  # counted in a cache

    def __init__(self, shape, n_ctx):
        model = random_model(shape, n_ctx)
        self.bridge = build_bridge_from_module(
            model, type(model).__name__, hf_config=model.config)

    @staticmethod
    def versions():
        names = ("transformer_lens", "transformers", "torch")
        return {name: importlib.metadata.version(name) for name in names}

    def forward(self, ids):
        return self.bridge.run_with_cache(ids)

    def patterns(self, ids):
        # It always unembeds; one position costs next to nothing.
        return self.bridge.run_with_cache(
            ids, names_filter=lambda name: name.endswith("hook_pattern"), logits_to_keep=1)

    def ablate(self, ids, layer, head):
        def zero_head(z, hook):
            z[:, :, head] = 0.0
            return z

        hooks = [(f"blocks.{layer}.attn.hook_z", zero_head)]
        return self.bridge.run_with_hooks(ids, return_type="loss", fwd_hooks=hooks).item()


if __name__ == "__main__":
    common.main(TransformerLensPeer)
