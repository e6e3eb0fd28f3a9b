"""Opens this folder with transformers.

Heads were removed from this model together with their weights, and a config of transformers cannot
say what is left: the layers have different numbers of heads, or the family takes the width of a
head from their number.

    from load_model import load_model
    model = load_model()            # a model like any other: call it, generate with it, train it

What this does: it builds the whole network, gives every attention the weights that are left, and
tells it how many heads these are. Where heads that share a key and a value are no longer equally
many, each gets a copy of its own; a layer without heads gets one head of zeros.
"""
import copy
import json
from collections import Counter
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file
from torch import nn

OUTPUTS = {"o_proj", "out_proj", "c_proj", "dense", "out_lin"}
FUSED = {"c_attn", "query_key_value", "qkv_proj"}
HEAD_COUNTS = {"num_heads", "n_heads", "n_head", "num_attention_heads"}
LATER_NAMES = {"embed_out.weight": "lm_head.weight"}  # of GPT-NeoX since transformers 5
KV_HEAD_COUNTS = {"num_key_value_heads", "num_kv_heads"}


class Layer:
    """The heads of one layer."""

    def __init__(self, kept, n_heads, n_kv_heads):
        shared = n_heads // n_kv_heads
        readers = Counter(head // shared for head in kept)
        self.is_empty = not kept
        self.is_even = len(set(readers.values())) <= 1
        self.n_left = len(kept)
        self.n_kv_left = len(readers)
        place = {kv: i for i, kv in enumerate(sorted(readers))}
        self.kv_of_query = [place[head // shared] for head in kept]

    @property
    def n_heads(self):
        return max(1, self.n_left)

    @property
    def n_kv_heads(self):
        return max(1, self.n_kv_left) if self.is_even else self.n_left


def head_axis(module, leaf, role):
    """The axis of a weight or bias that counts heads; None where there is none."""
    if leaf == "bias":
        return None if role in OUTPUTS else 0
    is_linear = isinstance(module, nn.Linear)  # [out, in]; a Conv1D has [in, out]
    return int(is_linear) if role in OUTPUTS else int(not is_linear)


def copied_for_queries(tensor, axis, role, layer, d_head):
    """A key and a value for every query head."""
    parts = [tensor]
    if role in FUSED:
        sizes = [layer.n_left * d_head, layer.n_kv_left * d_head, layer.n_kv_left * d_head]
        parts = list(tensor.split(sizes, dim=axis))
    elif role not in {"k_proj", "v_proj"}:
        return tensor
    first = len(parts) - (2 if role in FUSED else 1)
    for i in range(first, len(parts)):
        heads = parts[i].split(d_head, dim=axis)
        parts[i] = torch.cat([heads[kv] for kv in layer.kv_of_query], dim=axis)
    return torch.cat(parts, dim=axis)


def normalises_heads(module):
    """Whether it is a norm that has gains for each head."""
    weight = getattr(module, "weight", None)
    return hasattr(module, "norms") or "Norm" in type(module).__name__ and weight is not None and weight.dim() == 2


def norm_of_heads(weights, path, layer, d_head):
    """The gains of such a norm, [head, d_head]."""
    gains = weights.get(f"{path}.weight")
    rows = [] if gains is None else list(gains)
    while f"{path}.norms.{len(rows)}.weight" in weights:
        rows.append(weights[f"{path}.norms.{len(rows)}.weight"])
    if path.rsplit(".", 1)[-1].startswith("k_") and rows and not layer.is_even:
        rows = [rows[kv] for kv in layer.kv_of_query]
    return torch.stack(rows) if rows else torch.ones(1, d_head)


def give_norm(module, path, gains, weights):
    if hasattr(module, "norms"):
        module.norms = nn.ModuleList(copy.deepcopy(module.norms[0]) for _ in gains)
        weights |= {f"{path}.norms.{head}.weight": row for head, row in enumerate(gains)}
    else:
        module.register_parameter("weight", nn.Parameter(gains))
        weights[f"{path}.weight"] = gains


def by_head(tensor, n_heads):
    """[all queries, all keys, all values] to the query, the key and the value of each head."""
    return tensor.view(3, n_heads, -1, *tensor.shape[1:]).transpose(0, 1).reshape(tensor.shape)


def give(module, leaf, tensor):
    module.register_parameter(leaf, nn.Parameter(tensor))
    if leaf == "weight" and isinstance(module, nn.Linear):
        module.out_features, module.in_features = tensor.shape
    elif leaf == "weight" and hasattr(module, "nf"):
        module.nf = tensor.shape[1]


def count_heads(attention, layer, d_head):
    """Tells an attention how many heads it has."""
    for name in list(vars(attention)):
        if name in HEAD_COUNTS:
            setattr(attention, name, layer.n_heads)
        elif name in KV_HEAD_COUNTS:
            setattr(attention, name, layer.n_kv_heads)
        elif name == "num_key_value_groups":
            attention.num_key_value_groups = layer.n_heads // layer.n_kv_heads
        elif name == "split_size":
            attention.split_size = layer.n_heads * d_head
    if hasattr(attention, "config"):
        attention.config = copy.copy(attention.config)
        attention.config.num_attention_heads = layer.n_heads
        if hasattr(attention.config, "num_key_value_heads"):
            attention.config.num_key_value_heads = layer.n_kv_heads


def load_model(folder=None):
    folder = Path(folder or Path(__file__).resolve().parent)
    settings = json.loads((folder / "config.json").read_text())
    kept = {int(layer): heads for layer, heads in settings.pop("kept_heads").items()}
    settings.pop("per_layer_config", None)
    config = transformers.AutoConfig.for_model(**settings)
    if settings.get("architectures"):
        model = getattr(transformers, settings["architectures"][0])(config)
    elif type(config) in transformers.MODEL_FOR_MASKED_LM_MAPPING:
        model = transformers.AutoModelForMaskedLM.from_config(config)
    else:
        model = transformers.AutoModelForCausalLM.from_config(config)
    n_heads = config.num_attention_heads
    n_kv_heads = getattr(config, "num_key_value_heads", None) or n_heads
    layers = {layer: Layer(heads, n_heads, n_kv_heads) for layer, heads in kept.items()}

    whole = dict(model.named_parameters())
    weights = {}
    for name, tensor in load_file(folder / "model.safetensors").items():
        names = [name, f"{model.base_model_prefix}.{name}", LATER_NAMES.get(name)]
        weights[next((known for known in names if known in whole), name)] = tensor

    for parameter in model.parameters():
        parameter.data = parameter.data.to(next(iter(weights.values())).dtype)

    d_head = getattr(config, "head_dim", None) or config.hidden_size // n_heads
    for path, module in list(model.named_modules()):
        parts = path.split(".")
        role = parts[-1]
        numbers = [int(part) for part in parts if part.isdigit()]
        if "attn" not in path and "attention" not in path or not numbers:
            continue
        layer = layers[numbers[0]]
        if normalises_heads(module):
            gains = norm_of_heads(weights, path, layer, d_head)
            give_norm(module, path, gains.to(next(iter(weights.values())).dtype), weights)
        if not isinstance(module, nn.Linear) and not hasattr(module, "nf"):
            continue
        for leaf in ("weight", "bias"):
            name = f"{path}.{leaf}"
            axis = head_axis(module, leaf, role)
            tensor = weights.get(name)
            if tensor is None and layer.is_empty and name in whole and axis is not None:
                shape = list(whole[name].shape)
                shape[axis] = d_head * (3 if role in FUSED else 1)
                tensor = torch.zeros(shape, dtype=whole[name].dtype)
            if tensor is None:
                continue
            if axis is not None and not layer.is_even:
                tensor = copied_for_queries(tensor, axis, role, layer, d_head)
            if config.model_type == "gpt_neox" and role in FUSED:
                tensor = by_head(tensor, layer.n_heads)
            give(module, leaf, tensor)
            weights[name] = tensor
        count_heads(model.get_submodule(".".join(parts[:-1])), layer, d_head)

    model.tie_weights()
    missing, unexpected = model.load_state_dict(weights, strict=False)
    tied = set(getattr(model, "all_tied_weights_keys", None) or ())
    lacking = [name for name in missing if name in whole and name not in tied]
    if lacking or unexpected:
        raise ValueError(f"{folder}: missing {lacking}, not expected {unexpected}")
    return model.eval()
