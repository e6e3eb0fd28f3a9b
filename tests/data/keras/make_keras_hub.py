"""Writes presets and task files with KerasHub itself.

gpt2, llama, mistral, qwen2 and gemma get the weights of a fixture in ../fixtures and answer to that
fixture's reference, which Keras meets here too. gemma2 and bert, whose arithmetic differs from the
fixtures, get random weights and a reference.h5 of what Keras computes.
Needs keras-hub 0.21, keras 3.5, h5py and a backend.
Usage: make_keras_hub.py [FOLDER OF FIXTURES]
"""

import json
import shutil
import sys
from pathlib import Path

import h5py
import keras
import keras_hub
import numpy as np

HERE = Path(__file__).parent
FIXTURES = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent / "fixtures"
models = keras_hub.models


class Fixture:
    def __init__(self, name):
        self.file = h5py.File(FIXTURES / f"{name}.h5")
        self.config = json.loads(self.file.attrs["config"])
        self.reference = h5py.File(FIXTURES / f"{name}.reference.h5")

    def __call__(self, name):
        return self.file[name.replace(".", "/")][()].astype(np.float32)


def assign(variable, value):
    variable.assign(value.reshape(variable.shape))


def fold(variable, torch_weight):
    """A torch Linear's weight, [out, in], into a kernel [in, …] of the same outputs."""
    assign(variable, torch_weight.T)


def gpt2(fixture):
    c = fixture.config
    backbone = models.GPT2Backbone(
        vocabulary_size=c["vocab_size"], num_layers=c["n_layer"], num_heads=c["n_head"],
        hidden_dim=c["n_embd"], intermediate_dim=c["n_inner"] or 4 * c["n_embd"],
        max_sequence_length=c["n_positions"])
    assign(backbone.token_embedding.embeddings, fixture("transformer.wte.weight"))
    assign(backbone.position_embedding.position_embeddings, fixture("transformer.wpe.weight"))
    for i, layer in enumerate(backbone.transformer_layers):
        f = lambda name: fixture(f"transformer.h.{i}.{name}")
        attention = layer._self_attention_layer
        columns = np.split(f("attn.c_attn.weight"), 3, axis=1)
        biases = np.split(f("attn.c_attn.bias"), 3)
        for part, kernel, bias in zip(("query", "key", "value"), columns, biases):
            dense = getattr(attention, f"{part}_dense")
            assign(dense.kernel, kernel)
            assign(dense.bias, bias)
        for dense, name in ((attention.output_dense, "attn.c_proj"),
                            (layer._feedforward_intermediate_dense, "mlp.c_fc"),
                            (layer._feedforward_output_dense, "mlp.c_proj")):
            assign(dense.kernel, f(f"{name}.weight"))
            assign(dense.bias, f(f"{name}.bias"))
        for norm, name in ((layer._self_attention_layer_norm, "ln_1"),
                           (layer._feedforward_layer_norm, "ln_2")):
            norm.set_weights([f(f"{name}.weight"), f(f"{name}.bias")])
    backbone.layer_norm.set_weights([fixture("transformer.ln_f.weight"),
                                     fixture("transformer.ln_f.bias")])
    return backbone


def llama_like(make, fixture, **options):
    c = fixture.config
    backbone = make(
        vocabulary_size=c["vocab_size"], num_layers=c["num_hidden_layers"],
        num_query_heads=c["num_attention_heads"], num_key_value_heads=c["num_key_value_heads"],
        hidden_dim=c["hidden_size"], intermediate_dim=c["intermediate_size"],
        rope_max_wavelength=c["rope_parameters"]["rope_theta"],
        layer_norm_epsilon=c["rms_norm_eps"], **options)
    assign(backbone.token_embedding.embeddings, fixture("model.embed_tokens.weight"))
    fold(backbone.token_embedding.reverse_embeddings, fixture("lm_head.weight"))
    assign(backbone.layer_norm.scale, fixture("model.norm.weight"))
    for i, layer in enumerate(backbone.transformer_layers):
        f = lambda name: fixture(f"model.layers.{i}.{name}")
        for part, name in (("query", "q"), ("key", "k"), ("value", "v"), ("output", "o")):
            dense = getattr(layer._self_attention_layer, f"_{part}_dense")
            fold(dense.kernel, f(f"self_attn.{name}_proj.weight"))
            if dense.bias is not None:
                assign(dense.bias, f(f"self_attn.{name}_proj.bias"))
        for part, name in (("gate", "gate"), ("intermediate", "up"), ("output", "down")):
            fold(getattr(layer, f"_feedforward_{part}_dense").kernel, f(f"mlp.{name}_proj.weight"))
        assign(layer._self_attention_layernorm.scale, f("input_layernorm.weight"))
        assign(layer._feedforward_layernorm.scale, f("post_attention_layernorm.weight"))
    return backbone


def gemma(fixture):
    c = fixture.config
    heads = c["num_attention_heads"], c["num_key_value_heads"]
    backbone = models.GemmaBackbone(
        vocabulary_size=c["vocab_size"], num_layers=c["num_hidden_layers"],
        num_query_heads=heads[0], num_key_value_heads=heads[1], hidden_dim=c["hidden_size"],
        intermediate_dim=2 * c["intermediate_size"], head_dim=c["head_dim"],
        layer_norm_epsilon=c["rms_norm_eps"])
    assign(backbone.token_embedding.embeddings, fixture("model.embed_tokens.weight"))
    assign(backbone.layer_norm.scale, fixture("model.norm.weight"))
    for i, layer in enumerate(backbone.transformer_layers):
        f = lambda name: fixture(f"model.layers.{i}.{name}")
        for part, name in (("query", "q"), ("key", "k"), ("value", "v")):
            per_head = f(f"self_attn.{name}_proj.weight").reshape(-1, c["head_dim"],
                                                                 c["hidden_size"])
            assign(getattr(layer.attention, f"{part}_dense").kernel, per_head.transpose(0, 2, 1))
        fold(layer.attention.output_dense.kernel, f("self_attn.o_proj.weight"))
        fold(layer.gating_ffw.kernel, f("mlp.gate_proj.weight"))
        fold(layer.gating_ffw_2.kernel, f("mlp.up_proj.weight"))
        fold(layer.ffw_linear.kernel, f("mlp.down_proj.weight"))
        assign(layer.pre_attention_norm.scale, f("input_layernorm.weight"))
        assign(layer.pre_ffw_norm.scale, f("post_attention_layernorm.weight"))
    return backbone


def randomise(model, seed):
    generator = np.random.default_rng(seed)
    for variable in model.trainable_variables:
        scale = 0.5 if len(variable.shape) == 1 or "embedding" in variable.path else 0.25
        noise = scale * generator.standard_normal(variable.shape).astype(np.float32)
        centre = 1.0 if variable.path.endswith("gamma") else 0.0
        variable.assign(centre + noise)


def logits(backbone, ids):
    inputs = {"token_ids": ids[None], "padding_mask": np.ones_like(ids[None])}
    hidden = backbone(inputs)
    return np.array(backbone.token_embedding(hidden, reverse=True))[0]


def save_preset(backbone, name):
    shutil.rmtree(HERE / name, ignore_errors=True)
    backbone.save_to_preset(str(HERE / name))


def save_reference(name, **arrays):
    with h5py.File(HERE / name / "reference.h5", "w") as file:
        for key, array in arrays.items():
            file.create_dataset(key, data=array, compression="gzip", track_times=False)


def check(backbone, fixture):
    found = logits(backbone, fixture.reference["input_ids"][()].astype(np.int32))
    expected = fixture.reference["logits"][()]
    assert np.abs(found - expected).max() < 1e-4 * np.abs(expected).max()
    return backbone


def make_fixture_twins():
    source = Fixture("gpt2")
    backbone = check(gpt2(source), source)
    save_preset(backbone, "gpt2-task")
    task = models.GPT2CausalLM(backbone=backbone)
    task.save_weights(HERE / "gpt2-task" / "full.weights.h5")
    # Packed, to keep the file small; nothing else is changed.
    with h5py.File(HERE / "gpt2-task" / "full.weights.h5") as full, \
            h5py.File(HERE / "gpt2-task" / "model.weights.h5", "w", libver="v108") as packed:
        def copy(path, item):
            if isinstance(item, h5py.Dataset) and item.size > 2000:
                packed.create_dataset(path, data=item[()], compression="gzip", shuffle=True,
                                      track_times=False)
            elif isinstance(item, h5py.Dataset):
                packed.create_dataset(path, data=item[()], track_times=False)
        full.visititems(copy)
    (HERE / "gpt2-task" / "full.weights.h5").unlink()

    source = Fixture("llama3-rope")
    rope = source.config["rope_parameters"]
    save_preset(check(llama_like(
        models.Llama3Backbone, source, rope_frequency_adjustment_factor=rope["factor"],
        rope_low_freq_factor=rope["low_freq_factor"],
        rope_high_freq_factor=rope["high_freq_factor"],
        rope_pretraining_sequence_length=rope["original_max_position_embeddings"]), source),
        "llama3-rope")
    source = Fixture("mistral-window")
    save_preset(check(llama_like(models.MistralBackbone, source,
                                 sliding_window=source.config["sliding_window"]), source),
                "mistral-window")
    source = Fixture("qwen2")
    save_preset(check(llama_like(models.QwenBackbone, source, tie_word_embeddings=False), source),
                "qwen2")
    source = Fixture("gemma")
    save_preset(check(gemma(source), source), "gemma")


def make_gemma2():
    backbone = models.GemmaBackbone(
        vocabulary_size=61, num_layers=2, num_query_heads=4, num_key_value_heads=2, hidden_dim=40,
        intermediate_dim=112, head_dim=8, use_post_ffw_norm=True, use_post_attention_norm=True,
        attention_logit_soft_cap=5.0, final_logit_soft_cap=3.0,
        use_sliding_window_attention=True, sliding_window_size=6)
    randomise(backbone, 2)
    ids = np.random.default_rng(3).integers(0, 61, 21).astype(np.int32)
    save_preset(backbone, "gemma2")
    save_reference("gemma2", input_ids=ids, logits=logits(backbone, ids))


def make_bert():
    backbone = models.BertBackbone(
        vocabulary_size=61, num_layers=2, num_heads=5, hidden_dim=40, intermediate_dim=72,
        max_sequence_length=32)
    task = models.BertMaskedLM(backbone=backbone)
    randomise(task, 4)
    ids = np.random.default_rng(5).integers(0, 61, 21).astype(np.int32)
    inputs = {"token_ids": ids[None], "segment_ids": np.zeros_like(ids[None]),
              "padding_mask": np.ones_like(ids[None])}
    hidden = keras.Model(backbone.input, [layer.input for layer in backbone.transformer_layers])
    states = [x[0] if isinstance(x, list) else x for x in hidden(inputs)]
    attentions = [layer._self_attention_layer(x, x, return_attention_scores=True)[1]
                  for layer, x in zip(backbone.transformer_layers, states)]
    states.append(backbone(inputs)["sequence_output"])
    save_preset(backbone, "bert")
    task.save_weights(HERE / "bert" / "model.weights.h5", overwrite=True)
    save_reference("bert", input_ids=ids, hidden_states=np.concatenate(states),
                   attentions=np.concatenate(attentions))


make_fixture_twins()
make_gemma2()
make_bert()
