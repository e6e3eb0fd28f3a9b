"""Small GGUF files as llama.cpp's convert_hf_to_gguf.py writes them, with what transformers makes of
the same weights; numbers of every type; tokenizers.

Names, keys and blocks come from the package gguf, which llama.cpp publishes; what its script does
beyond (rows reordered for rotary positions, gains of Gemma plus one, queries, keys and values sorted
apart) is repeated here after its source.

Needs torch, transformers 5, h5py, gguf 0.19. Run: python make_gguf.py OUTDIR [--f32] [NAME...]
"""
import base64, json, os, struct, sys, tempfile
import h5py, numpy as np, safetensors.torch, torch
import gguf
import transformers as tf
from gguf import GGMLQuantizationType as Type, MODEL_ARCH as A

ARGUMENTS = [a for a in sys.argv[1:] if a != "--f32"]
OUT, ONLY, F32 = ARGUMENTS[0], set(ARGUMENTS[1:]), "--f32" in sys.argv
TOKENIZERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tokenizers")
V, T = 48, 17
LLAMA = dict(vocab_size=V, hidden_size=24, intermediate_size=40, num_hidden_layers=2,
             num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64)
NO_TOKENS = dict(bos_token_id=0, eos_token_id=0, pad_token_id=0)
GPT = dict(vocab_size=V, n_positions=64, n_embd=24, n_layer=2, n_head=4, **NO_TOKENS)
ENCODER = dict(vocab_size=V, hidden_size=24, intermediate_size=40, num_hidden_layers=2,
               num_attention_heads=4, max_position_embeddings=64)

DECI_HEADS = [4, 0, 2]  # of each layer, from the first on; half as many keys


def rope(rope_type, **more):
    return dict(rope_type=rope_type, rope_theta=10000.0, **more)


MODELS = {
    "llama": (A.LLAMA, lambda: tf.LlamaConfig(**LLAMA, attention_bias=True, mlp_bias=True)),
    "llama3-rope": (A.LLAMA, lambda: tf.LlamaConfig(**LLAMA, head_dim=8, tie_word_embeddings=True, rope_parameters=rope(
        "llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
        original_max_position_embeddings=16))),
    "mistral": (A.LLAMA, lambda: tf.MistralConfig(**LLAMA, head_dim=10, sliding_window=None)),
    "yarn": (A.QWEN2, lambda: tf.Qwen2Config(**LLAMA, rope_parameters=rope(
        "yarn", factor=4.0, original_max_position_embeddings=16))),
    "linear": (A.QWEN3, lambda: tf.Qwen3Config(**LLAMA, head_dim=8, rope_parameters=rope(
        "linear", factor=3.0))),
    "gemma": (A.GEMMA, lambda: tf.GemmaConfig(**LLAMA, head_dim=8)),
    "gemma2": (A.GEMMA2, lambda: tf.Gemma2Config(**LLAMA, head_dim=8, query_pre_attn_scalar=8,
                                                 sliding_window=6)),
    "gemma3": (A.GEMMA3, lambda: tf.Gemma3TextConfig(
        **{**LLAMA, "num_hidden_layers": 6}, head_dim=8, query_pre_attn_scalar=8, sliding_window=6,
        rope_parameters={"full_attention": rope("linear", factor=2.0),
                         "sliding_attention": dict(rope_type="default", rope_theta=100.0)})),
    "phi2": (A.PHI2, lambda: tf.PhiConfig(**{**LLAMA, "num_key_value_heads": 4}, **NO_TOKENS,
                                          rope_parameters=rope("default", partial_rotary_factor=0.7))),
    "phi3": (A.PHI3, lambda: tf.Phi3Config(
        **LLAMA, **NO_TOKENS, original_max_position_embeddings=16, sliding_window=12,
        rope_parameters=rope("longrope", short_factor=[1.0, 1.1, 1.2], long_factor=[1.0, 4.0, 8.0]))),
    "gpt2": (A.GPT2, lambda: tf.GPT2Config(**GPT)),
    "starcoder": (A.STARCODER, lambda: tf.GPTBigCodeConfig(**GPT)),
    "gptneox": (A.GPTNEOX, lambda: tf.GPTNeoXConfig(
        vocab_size=V, hidden_size=24, intermediate_size=40, num_hidden_layers=2,
        num_attention_heads=4, max_position_embeddings=64, use_parallel_residual=False,
        rope_parameters=rope("default", partial_rotary_factor=0.7))),
    "falcon": (A.FALCON, lambda: tf.FalconConfig(
        vocab_size=V, hidden_size=24, num_hidden_layers=2, num_attention_heads=4, bos_token_id=0,
        eos_token_id=0)),
    "falcon-grouped": (A.FALCON, lambda: tf.FalconConfig(
        vocab_size=V, hidden_size=24, num_hidden_layers=2, num_attention_heads=4, bos_token_id=0,
        eos_token_id=0, new_decoder_architecture=True, num_kv_heads=2)),
    "bloom": (A.BLOOM, lambda: tf.BloomConfig(vocab_size=V, hidden_size=24, n_layer=2, n_head=3)),
    "mpt": (A.MPT, lambda: tf.MptConfig(vocab_size=V, d_model=24, n_heads=4, n_layers=2, max_seq_len=64)),
    "starcoder2": (A.STARCODER2, lambda: tf.Starcoder2Config(**LLAMA, use_bias=True, sliding_window=None,
                                                             bos_token_id=0, eos_token_id=0)),
    "stablelm": (A.STABLELM, lambda: tf.StableLmConfig(
        **LLAMA, use_qkv_bias=True, **NO_TOKENS, rope_parameters=rope("default", partial_rotary_factor=0.7))),
    "stablelm-parallel": (A.STABLELM, lambda: tf.StableLmConfig(
        **LLAMA, use_parallel_residual=True, **NO_TOKENS,
        rope_parameters=rope("default", partial_rotary_factor=0.7))),
    "olmo": (A.OLMO, lambda: tf.OlmoConfig(**LLAMA, **NO_TOKENS)),
    "olmo2": (A.OLMO2, lambda: tf.Olmo2Config(**LLAMA, **NO_TOKENS)),
    "olmo3": (A.OLMO2, lambda: tf.Olmo3Config(
        **{**LLAMA, "num_hidden_layers": 4}, sliding_window=6, **NO_TOKENS, rope_parameters={
            "full_attention": rope("yarn", factor=4.0, original_max_position_embeddings=16),
            "sliding_attention": rope("default")})),
    "olmo3-every-third": (A.OLMO2, lambda: tf.Olmo3Config(
        **{**LLAMA, "num_hidden_layers": 3}, sliding_window=5, **NO_TOKENS, layer_types=[
            "sliding_attention", "full_attention", "sliding_attention"])),
    "mixtral": (A.LLAMA, lambda: tf.MixtralConfig(**LLAMA, num_local_experts=5)),
    "qwen2moe": (A.QWEN2MOE, lambda: tf.Qwen2MoeConfig(
        **LLAMA, moe_intermediate_size=12, shared_expert_intermediate_size=14, num_experts=6,
        num_experts_per_tok=3)),
    "qwen3moe": (A.QWEN3MOE, lambda: tf.Qwen3MoeConfig(
        **LLAMA, head_dim=8, moe_intermediate_size=12, num_experts=6, num_experts_per_tok=4,
        norm_topk_prob=True)),
    "olmoe": (A.OLMOE, lambda: tf.OlmoeConfig(**LLAMA, num_experts=6, num_experts_per_tok=4,
                                              **NO_TOKENS)),
    "granitemoe": (A.GRANITE_MOE, lambda: tf.GraniteMoeConfig(
        **LLAMA, num_local_experts=5, embedding_multiplier=3.0, logits_scaling=2.5,
        residual_multiplier=0.4, attention_multiplier=0.2)),
    "granite": (A.GRANITE, lambda: tf.GraniteConfig(
        **LLAMA, embedding_multiplier=3.0, logits_scaling=2.5, residual_multiplier=0.4,
        attention_multiplier=0.2)),
    "command-r": (A.COMMAND_R, lambda: tf.CohereConfig(**LLAMA, logit_scale=0.25, **NO_TOKENS)),
    "glm4": (A.GLM4, lambda: tf.Glm4Config(**LLAMA, head_dim=8, attention_bias=True, **NO_TOKENS)),
    "arcee": (A.ARCEE, lambda: tf.ArceeConfig(**LLAMA, head_dim=8, **NO_TOKENS)),
    "smollm3": (A.SMOLLM3, lambda: tf.SmolLM3Config(**{**LLAMA, "num_hidden_layers": 4}, **NO_TOKENS)),
    "nemotron": (A.NEMOTRON, lambda: tf.NemotronConfig(**LLAMA, head_dim=8, attention_bias=True,
                                                       mlp_bias=True, **NO_TOKENS)),
    "exaone4": (A.EXAONE4, lambda: tf.Exaone4Config(**LLAMA, head_dim=8, sliding_window=None,
                                                    layer_types=["full_attention"] * 2,
                                                    **NO_TOKENS)),
    "ernie4_5": (A.ERNIE4_5, lambda: tf.Ernie4_5Config(**LLAMA, head_dim=8, **NO_TOKENS)),
    "cohere2": (A.COHERE2, lambda: tf.Cohere2Config(
        **{**LLAMA, "num_hidden_layers": 4}, logit_scale=0.25, sliding_window=6, **NO_TOKENS)),
    "seed_oss": (A.SEED_OSS, lambda: tf.SeedOssConfig(**LLAMA, head_dim=8, **NO_TOKENS)),
    "bert": (A.BERT, lambda: tf.BertConfig(**ENCODER)),
    "roberta": (A.BERT, lambda: tf.RobertaConfig(**ENCODER, type_vocab_size=1, pad_token_id=1)),
    "distilbert": (A.BERT, lambda: tf.DistilBertConfig(
        vocab_size=V, dim=24, hidden_dim=40, n_layers=2, n_heads=4, max_position_embeddings=64)),
    "modern-bert": (A.MODERN_BERT, lambda: tf.ModernBertConfig(
        **{**ENCODER, "num_hidden_layers": 4}, local_attention=6, hidden_activation="silu", **NO_TOKENS,
        rope_parameters={"full_attention": dict(rope_type="default", rope_theta=500.0),
                         "sliding_attention": dict(rope_type="default", rope_theta=100.0)})),
    "nomic-bert": (A.NOMIC_BERT, lambda: tf.NomicBertConfig(
        **ENCODER, rope_parameters=dict(rope_type="default", rope_theta=1000.0))),
    "hunyuan-dense": (A.HUNYUAN_DENSE, lambda: tf.HunYuanDenseV1Config(
        **LLAMA, head_dim=8, rope_parameters=rope("dynamic", alpha=50.0, factor=1.0), **NO_TOKENS)),
    "exaone": (A.EXAONE, lambda: tf.ExaoneConfig(**LLAMA, head_dim=6, **NO_TOKENS, rope_parameters=rope(
        "llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
        original_max_position_embeddings=16))),
    "mistral3": (A.MISTRAL3, lambda: tf.Ministral3Config(
        **LLAMA, head_dim=8, sliding_window=None, **NO_TOKENS, rope_parameters=rope(
            "yarn", factor=2.0, original_max_position_embeddings=32, beta_fast=32.0, beta_slow=1.0,
            mscale=1.0, mscale_all_dim=0.5, llama_4_scaling_beta=0.1))),
    "chatglm": (A.CHATGLM, lambda: tf.GlmConfig(**LLAMA, head_dim=8, attention_bias=True, **NO_TOKENS)),
    "granitehybrid": (A.GRANITE_HYBRID, lambda: tf.GraniteMoeHybridConfig(
        **LLAMA, shared_intermediate_size=40, num_local_experts=0, num_experts_per_tok=0,
        layer_types=["full_attention"] * 2,
        embedding_multiplier=3.0, logits_scaling=2.5, residual_multiplier=0.4,
        attention_multiplier=0.2, mamba_n_heads=4, mamba_d_head=12)),
    "gpt-oss": (A.GPT_OSS, lambda: tf.GptOssConfig(
        **LLAMA, head_dim=8, num_local_experts=5, num_experts_per_tok=2, sliding_window=6, **NO_TOKENS,
        rope_parameters=rope("yarn", factor=4.0, original_max_position_embeddings=16, beta_fast=32.0,
                             beta_slow=1.0, truncate=False))),
    "deci": (A.DECI, lambda: tf.LlamaConfig(**{**LLAMA, "num_hidden_layers": 3})),
    "command-r-qk-norm": (A.COMMAND_R, lambda: tf.CohereConfig(**LLAMA, use_qk_norm=True, logit_scale=0.25,
                                                               **NO_TOKENS)),
    "stablelm-qk-norm": (A.STABLELM, lambda: tf.StableLmConfig(
        **LLAMA, use_parallel_residual=True, qk_layernorm=True, **NO_TOKENS,
        rope_parameters=rope("default", partial_rotary_factor=0.7))),
    "olmo-clip": (A.OLMO, lambda: tf.OlmoConfig(**LLAMA, clip_qkv=1.5, **NO_TOKENS)),
    "mpt-clip": (A.MPT, lambda: tf.MptConfig(vocab_size=V, d_model=24, n_heads=4, n_layers=2, max_seq_len=64,
                                             attn_config=dict(clip_qkv=1.5))),
    "mistral3-long": (A.MISTRAL3, lambda: tf.Ministral3Config(
        **LLAMA, head_dim=8, sliding_window=None, **NO_TOKENS, rope_parameters=rope(
            "yarn", factor=8.0, original_max_position_embeddings=8, beta_fast=32.0, beta_slow=1.0,
            mscale=1.0, mscale_all_dim=0.5, llama_4_scaling_beta=0.3))),
}
# LlamaModel.permute and its copies
ROTATED = {A.DECI, A.LLAMA, A.OLMO, A.GRANITE, A.GRANITE_MOE, A.GRANITE_HYBRID, A.ARCEE, A.SMOLLM3, A.MISTRAL3}
GEMMAS = {A.GEMMA, A.GEMMA2, A.GEMMA3}
ENCODERS = {A.BERT, A.MODERN_BERT, A.NOMIC_BERT}
SAVED = {A.NOMIC_BERT, A.EXAONE}  # under other names than in memory


def randomise(model, generator, gain):
    """Weights that float16 holds exactly, so that both files hold the same."""
    with torch.no_grad():
        for name, p in model.named_parameters():
            r = torch.randn(p.shape, generator=generator)
            if p.dim() >= 2:
                p.copy_((r * (0.35 if "emb" in name else 1.6 / p.shape[-1] ** 0.5)).half())
            else:
                p.copy_((gain + 0.2 * r if "weight" in name else 0.1 * r).half())
    model.tie_weights()


def permute(rows, n_head):
    return rows.reshape(n_head, 2, rows.shape[0] // n_head // 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


def apart(rows, n_head, n_kv):
    """Groups of a KV head (its queries, key, value) to all queries, all keys, all values."""
    groups = rows.reshape(n_kv, n_head // n_kv + 2, -1, *rows.shape[1:])
    parts = [groups[:, :-2], groups[:, -2], groups[:, -1]]
    return np.concatenate([p.reshape(-1, *rows.shape[1:]) for p in parts])


def converted(arch, config, name, rows):
    n_head = config.num_attention_heads
    n_kv = getattr(config, "num_key_value_heads", None) or n_head
    if arch in ROTATED and "q_proj" in name:
        return permute(rows, n_head)
    if arch in ROTATED and "k_proj" in name:
        return permute(rows, n_kv)
    if arch in GEMMAS | {A.NEMOTRON} and name.endswith("norm.weight"):
        return rows + np.float32(1)
    if arch == A.GPT2 and name.endswith((".c_attn.weight", ".c_proj.weight", ".c_fc.weight")):
        return rows.T
    if arch in (A.GPTNEOX, A.BLOOM) and "query_key_value" in name:
        return apart(rows, n_head, n_head)
    if arch == A.FALCON and "query_key_value" in name:
        grouped = config.new_decoder_architecture
        return apart(rows, n_head, config.num_kv_heads if grouped else 1)
    if config.model_type == "roberta" and "position_embeddings" in name:
        return rows[config.pad_token_id + 1:]
    return rows


def shortened(arch, name):
    if arch in ENCODERS:
        for prefix in ("bert.", "roberta.", "distilbert.", "model."):
            name = name.removeprefix(prefix)
        if name.startswith(("cls.", "lm_head.")):
            return None
    if arch == A.GPT_OSS and name.endswith("sinks"):
        name += ".weight"
    if arch == A.GRANITE_MOE:  # as published
        name = name.replace(".router.weight", ".router.layer.weight")
    return name.removeprefix("transformer.") if arch == A.BLOOM else name


def add_keys(w, arch, c):
    at = lambda *names: next((v for n in names if (v := getattr(c, n, None)) is not None), None)
    w.add_block_count(at("num_hidden_layers", "n_layer"))
    positions = at("max_position_embeddings", "n_positions", "seq_length", "max_seq_len") or 64
    if c.model_type == "roberta":
        positions -= c.pad_token_id + 1
    w.add_context_length(positions)
    width = at("hidden_size", "n_embd", "d_model", "dim")
    w.add_embedding_length(width)
    d_mlp = at("intermediate_size", "n_inner", "ffn_hidden_size", "hidden_dim") or 4 * width
    w.add_feed_forward_length([d_mlp] * 3 if arch == A.DECI else d_mlp)
    n_head = at("num_attention_heads", "n_head", "n_heads")
    w.add_head_count(DECI_HEADS if arch == A.DECI else n_head)
    n_kv = at("num_key_value_heads")
    if arch == A.FALCON:
        n_kv = c.num_kv_heads if c.new_decoder_architecture else 1
    if arch == A.STARCODER:
        n_kv = 1
    if arch == A.GRANITE_HYBRID:
        n_kv = [n_kv] * c.num_hidden_layers
    if arch == A.DECI:
        n_kv = [n // 2 for n in DECI_HEADS]
    if n_kv is not None:
        w.add_head_count_kv(n_kv)
    if eps := at("rms_norm_eps"):
        w.add_layer_norm_rms_eps(eps)
    if eps := at("layer_norm_eps", "layer_norm_epsilon", "norm_epsilon", "norm_eps"):
        w.add_layer_norm_eps(eps)
    if arch == A.OLMO:
        w.add_layer_norm_eps(1e-5)
    if c.model_type == "distilbert":
        w.add_layer_norm_eps(1e-12)
    d_head = at("head_dim") or width // n_head
    if "head_dim" in c.to_dict() and c.head_dim:
        w.add_key_length(d_head)
        w.add_value_length(d_head)
    add_rotary(w, arch, c, d_head)
    if arch == A.GEMMA2:
        w.add_attn_logit_softcapping(c.attn_logit_softcapping)
        w.add_final_logit_softcapping(c.final_logit_softcapping)
    if arch in (A.GEMMA2, A.GEMMA3, A.PHI3, A.COHERE2, A.GPT_OSS):
        w.add_sliding_window(c.sliding_window or 0)
    if arch == A.GPTNEOX or c.model_type == "stablelm":
        w.add_parallel_residual(c.use_parallel_residual)
    if arch == A.FALCON:
        w.add_tensor_data_layout("jploski")
    clip = c.attn_config.clip_qkv if arch == A.MPT else at("clip_qkv")
    if clip:
        w.add_clamp_kqv(clip)
    if arch == A.MPT:
        w.add_max_alibi_bias(c.attn_config.alibi_bias_max)
    if arch == A.OLMO2 and c.model_type == "olmo3":
        w.add_sliding_window(c.sliding_window)
        if c.num_hidden_layers != 4:  # others are known by every fourth layer
            w.add_sliding_window_pattern([kind == "sliding_attention" for kind in c.layer_types])
    if (experts := at("num_experts", "num_local_experts")) is not None:
        w.add_expert_count(experts)
        w.add_expert_used_count(c.num_experts_per_tok)
    if width := at("moe_intermediate_size"):
        w.add_expert_feed_forward_length(width)
    if arch == A.GPT_OSS:
        w.add_expert_feed_forward_length(c.intermediate_size)
    if width := at("shared_expert_intermediate_size", "shared_intermediate_size"):
        w.add_expert_shared_feed_forward_length(width)
    if arch in (A.GRANITE, A.GRANITE_MOE, A.GRANITE_HYBRID):
        w.add_attention_scale(c.attention_multiplier)
        w.add_embedding_scale(c.embedding_multiplier)
        w.add_residual_scale(c.residual_multiplier)
        w.add_logit_scale(c.logits_scaling)
    if arch in (A.COMMAND_R, A.COHERE2):
        w.add_logit_scale(c.logit_scale)
        w.add_rope_scaling_type(gguf.RopeScalingType.NONE)
    if arch == A.GRANITE_HYBRID:
        w.add_rope_scaling_finetuned(False)  # which switches rotary positions off
        w.add_ssm_conv_kernel(c.mamba_d_conv)
        w.add_ssm_state_size(c.mamba_d_state)
        w.add_ssm_group_count(c.mamba_n_groups)
        w.add_ssm_inner_size(2 * c.hidden_size)
        w.add_ssm_time_step_rank(c.mamba_n_heads)
    if arch == A.MISTRAL3:
        w.add_rope_scaling_yarn_log_mul(c.rope_parameters["mscale_all_dim"])
        w.add_attn_temperature_scale(c.rope_parameters["llama_4_scaling_beta"])
    if arch in ENCODERS:
        w.add_causal_attention(False)
        w.add_token_type_count(at("type_vocab_size") or 1)
    if arch == A.MODERN_BERT:
        w.add_sliding_window(c.local_attention)
        w.add_sliding_window_pattern(3)
        w.add_rope_scaling_type(gguf.RopeScalingType.NONE)
        w.add_string("modern-bert.hidden_activation", c.hidden_activation)
    w.add_file_type(0 if F32 else 1)


def add_rotary(w, arch, c, d_head):
    parameters = getattr(c, "rope_parameters", None) or {}
    if not parameters:
        return
    p = parameters.get("full_attention", parameters)
    if arch in ROTATED | {A.PHI2, A.PHI3, A.GPTNEOX, A.STABLELM, A.GLM4, A.NEMOTRON, A.EXAONE, A.CHATGLM}:
        is_half = arch in (A.GLM4, A.CHATGLM)
        w.add_rope_dimension_count(int(d_head * p.get("partial_rotary_factor", 0.5 if is_half else 1.0)))
    base = p["rope_theta"]
    if arch == A.HUNYUAN_DENSE:
        base *= p["alpha"] ** (d_head / (d_head - 2))
        w.add_rope_scaling_type(gguf.RopeScalingType.NONE)
        w.add_rope_scaling_factor(1)
        w.add_rope_scaling_orig_ctx_len(256 * 1024)
    if arch not in (A.GEMMA, A.GEMMA2, A.GPTNEOX, A.FALCON, A.PHI2):
        w.add_rope_freq_base(base)
    if "sliding_attention" in parameters:
        w.add_rope_freq_base_swa(parameters["sliding_attention"]["rope_theta"])
    kind = p["rope_type"]
    if kind in ("linear", "yarn"):
        w.add_rope_scaling_type(gguf.RopeScalingType(kind))
        w.add_rope_scaling_factor(p["factor"])
    if kind == "yarn":
        w.add_rope_scaling_orig_ctx_len(p["original_max_position_embeddings"])
        if "beta_fast" in p:
            w.add_rope_scaling_yarn_beta_fast(p["beta_fast"])
            w.add_rope_scaling_yarn_beta_slow(p["beta_slow"])
    if kind == "longrope":
        original, longest = c.original_max_position_embeddings, c.max_position_embeddings
        w.add_rope_scaling_orig_ctx_len(original)
        w.add_rope_scaling_attn_factors((1 + np.log(longest / original) / np.log(original)) ** 0.5)
        w.add_tensor("rope_factors_long.weight", np.array(p["long_factor"], np.float32))
        w.add_tensor("rope_factors_short.weight", np.array(p["short_factor"], np.float32))
    if kind == "llama3":
        w.add_tensor("rope_freqs.weight", llama3_factors(p, d_head))


def llama3_factors(p, d_head):
    frequencies = 1.0 / p["rope_theta"] ** (np.arange(0, d_head, 2, dtype=np.float32) / d_head)
    length, low, high = p["original_max_position_embeddings"], p["low_freq_factor"], p["high_freq_factor"]
    factors = []
    for wave in 2 * np.pi / frequencies:
        smooth = min(1.0, max(0.0, (length / wave - low) / (high - low)))
        factors.append(1 / ((1 - smooth) / p["factor"] + smooth))
    return np.array(factors, np.float32)


def numbers_of(name, rows):
    """As the script: matrices in the type of the file, vectors, biases and positions as float32."""
    is_full = rows.ndim < 2 or name in ("position_embd.weight", "token_types.weight") or "ffn_gate_inp" in name
    is_full |= name.endswith((".bias", "_norm.weight"))
    return rows.astype(np.float32 if F32 or is_full else np.float16)


def make_model(name, seed):
    arch, make_config = MODELS[name]
    config = make_config()
    generator = torch.Generator().manual_seed(seed)
    auto = tf.AutoModel if arch in ENCODERS else tf.AutoModelForCausalLM
    model = auto.from_config(config, attn_implementation="eager").float().eval()
    randomise(model, generator, gain=0.0 if arch in GEMMAS | {A.NEMOTRON} else 1.0)
    if arch == A.DECI:
        remove_heads(model)
    ids = torch.randint(2, V, (1, T), generator=generator)
    with torch.no_grad():
        run = model(input_ids=ids, output_attentions=True, output_hidden_states=arch in ENCODERS,
                    **({} if arch in ENCODERS else dict(use_cache=False)))
    if F32:  # for whoever compares with the original
        model.save_pretrained(f"{OUT}/{name}")
    write_reference(name, ids, run, arch)
    w = gguf.GGUFWriter(f"{OUT}/{name}.gguf", gguf.MODEL_ARCH_NAMES[arch],
                        split_max_tensors=10 if name == "mistral" else 0)
    w.add_name(name)
    w.add_description(f"A random {name}")
    add_keys(w, arch, config)
    names = gguf.get_tensor_name_map(arch, config.num_hidden_layers)
    stored = set()
    for key, tensor in (saved(model) if arch in SAVED else model.state_dict()).items():
        short = shortened(arch, key)
        if short is None or tensor.data_ptr() in stored or "pooler" in key:
            continue
        stored.add(tensor.data_ptr())
        if arch == A.GRANITE_HYBRID and "shared_mlp" in key:
            add_shared_mlp(w, key, tensor.numpy())
            continue
        if "experts." in key and "shared" not in key:
            add_experts(w, names, key, tensor.numpy())
            continue
        if ".norms." in key:
            short, head = key.split(".norms.")
            if not head.startswith("0."):
                continue
            heads = len(model.get_submodule(f"{short}.norms"))
            tensor = torch.stack([model.state_dict()[f"{short}.norms.{i}.weight"] for i in range(heads)])
            short += ".weight"
        new_name = names.get_name(short, try_suffixes=(".weight", ".bias"))
        assert new_name, key
        rows = np.ascontiguousarray(converted(arch, config, key, tensor.numpy()))
        if arch == A.DECI and (rows := heads_left(config, key, rows)) is None:
            continue
        if "shared_expert_gate" in key:
            rows = rows.squeeze(0)
        w.add_tensor(new_name, numbers_of(new_name, rows))
    finish(w)


def remove_heads(model):
    """As if each layer had DECI_HEADS heads."""
    for layer, n_left in zip(model.model.layers, DECI_HEADS):
        with torch.no_grad():
            layer.self_attn.o_proj.weight[:, n_left * layer.self_attn.head_dim:] = 0


def heads_left(config, key, rows):
    """Nothing of a layer without heads."""
    layer = int(key.split(".")[2]) if ".layers." in key else 0
    if DECI_HEADS[layer] == 0 and ("self_attn" in key or "input_layernorm" in key):
        return None
    width = DECI_HEADS[layer] * config.head_dim
    if "q_proj" in key:
        return rows[:width]
    if "k_proj" in key or "v_proj" in key:
        return rows[:width // 2]
    return np.ascontiguousarray(rows[:, :width]) if "o_proj" in key else rows


def saved(model):
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        return safetensors.torch.load_file(f"{folder}/model.safetensors")


def add_shared_mlp(w, key, rows):
    """Without experts it is the MLP: [2 d_mlp, d_model] of gates and what they gate apart."""
    halves = {"ffn_down": rows}
    if "input_linear" in key:
        halves = dict(zip(("ffn_gate", "ffn_up"), np.split(rows, 2)))
    for name, part in halves.items():
        name = f"blk.{key.split('.')[2]}.{name}.weight"
        w.add_tensor(name, numbers_of(name, part))


def add_experts(w, names, key, experts):
    """[expert, 2 d_mlp, d_model] of gates and what they gate apart; what writes stays one. GPT-OSS
    has both in alternate columns, and transposed, without biases [expert, d_model, 2 d_mlp]."""
    layer = key.split(".")[2]
    ending = "bias" if key.endswith("_bias") else "weight"
    alternates = w.arch == "gpt-oss"
    if alternates and ending == "weight":
        experts = experts.swapaxes(1, 2)
    halves = {"ffn_down_exps": experts}
    if "gate_up_proj" in key:
        gate, up = (experts[:, ::2], experts[:, 1::2]) if alternates else np.split(experts, 2, axis=1)
        halves = {"ffn_gate_exps": gate, "ffn_up_exps": up}
    for name, rows in halves.items():
        assert f"blk.{layer}.{name}" in {new for _, new in names.mapping.values()}, name
        name = f"blk.{layer}.{name}.{ending}"
        w.add_tensor(name, numbers_of(name, np.ascontiguousarray(rows)))


def write_reference(name, ids, run, arch):
    with h5py.File(f"{OUT}/{name}.reference.h5", "w") as file:
        file["input_ids"] = ids[0].numpy().astype(np.int32)
        if arch != A.DECI:  # whose heads are not all in the file
            file["attentions"] = torch.stack([a[0] for a in run.attentions]).numpy()
        if arch in ENCODERS:
            file["hidden_states"] = torch.stack([h[0] for h in run.hidden_states]).numpy()
        else:
            file["logits"] = run.logits[0].numpy()
        file.attrs["made_with"] = f"transformers {tf.__version__}, torch {torch.__version__}, gguf 0.19.0"


def finish(w):
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


# Numbers: a tensor of each type, and what the package makes of it under the name with ".expected".

SMALL = [Type.Q4_0, Type.Q4_1, Type.Q5_0, Type.Q5_1, Type.Q8_0]
LARGE = [Type.Q2_K, Type.Q3_K, Type.Q4_K, Type.Q5_K, Type.Q6_K]
HALVES = {Type.Q2_K: [80, 82], Type.Q3_K: [108], Type.Q4_K: [0, 2], Type.Q5_K: [0, 2], Type.Q6_K: [208]}


def random_blocks(random, kind, rows, cols):
    """The package cannot quantise to the K types: any bytes are a block, but for its scales. Of
    MXFP4 any bytes are one; a scale of 255 would give infinity."""
    block, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = random.integers(0, 256, (rows * cols // block, size), dtype=np.uint8)
    if kind == Type.MXFP4:
        blocks[:, 0] = np.linspace(0, 250, len(blocks))
    for place in HALVES.get(kind, []):
        scales = random.normal(0, 0.05, len(blocks)).astype(np.float16)
        blocks[:, place:place + 2] = scales.view(np.uint8).reshape(-1, 2)
    return blocks.reshape(rows, -1)


def make_types():
    random = np.random.default_rng(5)
    w = gguf.GGUFWriter(f"{OUT}/types.gguf", "llama")
    for kind in [Type.F32, Type.F16, Type.BF16] + SMALL + LARGE + [Type.MXFP4]:
        if kind in LARGE or kind == Type.MXFP4:
            data = random_blocks(random, kind, 2, 512)
        else:
            data = gguf.quants.quantize(random.normal(0, 0.5, (3, 96)).astype(np.float32), kind)
        w.add_tensor(kind.name, data, raw_dtype=kind)
        w.add_tensor(kind.name + ".expected", gguf.quants.dequantize(data, kind))
    finish(w)


# Tokenizers without a model.

def load(name):
    with open(f"{TOKENIZERS}/{name}.tokenizer.json", encoding="utf-8") as file:
        return json.load(file)


def types_of(tokenizer, tokens):
    types = [gguf.TokenType.NORMAL] * len(tokens)
    for added in tokenizer["added_tokens"]:
        types[added["id"]] = gguf.TokenType.CONTROL if added["special"] else gguf.TokenType.USER_DEFINED
    return types


def vocabulary_writer(name, model, pre, tokens, types):
    w = gguf.GGUFWriter(f"{OUT}/{name}.gguf", "llama")
    w.add_tokenizer_model(model)
    w.add_tokenizer_pre(pre)
    w.add_token_list(tokens)
    w.add_token_types(types)
    return w


def make_bpe(name, pre, bos=None):
    tokenizer = load(name)
    vocabulary = dict(tokenizer["model"]["vocab"], **{a["content"]: a["id"] for a in tokenizer["added_tokens"]})
    tokens = sorted(vocabulary, key=vocabulary.get)
    w = vocabulary_writer(f"tokenizer-{name}", "gpt2", pre, tokens, types_of(tokenizer, tokens))
    pairs = [m if isinstance(m, str) else " ".join(m) for m in tokenizer["model"]["merges"]]
    w.add_token_merges(pairs)
    if bos is not None:
        w.add_bos_token_id(bos)
    finish(w)


def make_word_piece(name):
    tokenizer = load(name)
    vocabulary = tokenizer["model"]["vocab"]
    tokens = sorted(vocabulary, key=vocabulary.get)
    types = types_of(tokenizer, tokens)
    tokens = [t if k == gguf.TokenType.CONTROL else t[2:] if t.startswith("##") else "\u2581" + t
              for t, k in zip(tokens, types)]
    finish(vocabulary_writer(f"tokenizer-{name}", "bert", "bert-bge", tokens, types))


def make_unigram(name, bos, eos):
    tokenizer = load(name)
    tokens = [piece for piece, _ in tokenizer["model"]["vocab"]]
    for added in tokenizer["added_tokens"]:
        if added["id"] == len(tokens):
            tokens.append(added["content"])
    types = types_of(tokenizer, tokens)
    types[tokenizer["model"]["unk_id"]] = gguf.TokenType.UNKNOWN
    w = vocabulary_writer(f"tokenizer-{name}", "t5", "default", tokens, types)
    scores = [score for _, score in tokenizer["model"]["vocab"]]
    w.add_token_scores(scores + [0.0] * (len(tokens) - len(scores)))
    w.add_precompiled_charsmap(base64.b64decode(tokenizer["normalizer"]["precompiled_charsmap"]))
    w.add_bos_token_id(bos)
    w.add_eos_token_id(eos)
    w.add_add_bos_token(True)
    w.add_add_eos_token(True)
    finish(w)


def pieces_of(model):
    """The pieces of a sentencepiece model: field 1 of the message, with text, score and type."""
    def fields(data):
        at = 0
        def varint():
            nonlocal at
            value = shift = 0
            while True:
                byte = data[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    return value
        while at < len(data):
            key = varint()
            if key & 7 == 2:
                size = varint()
                yield key >> 3, data[at:at + size]
                at += size
            elif key & 7 == 5:
                yield key >> 3, data[at:at + 4]
                at += 4
            else:
                yield key >> 3, varint()
    for number, piece in fields(model):
        if number == 1:
            parts = dict(fields(piece))
            yield parts[1], struct.unpack("<f", parts.get(2, bytes(4)))[0], parts.get(3, 1)


def make_sentencepiece(name):
    with open(f"{TOKENIZERS}/{name}.model", "rb") as file:
        pieces = list(pieces_of(file.read()))
    w = vocabulary_writer(f"tokenizer-{name}", "llama", "default", [p for p, _, _ in pieces], [t for _, _, t in pieces])
    w.add_token_scores([score for _, score, _ in pieces])
    w.add_bos_token_id(1)
    w.add_eos_token_id(2)
    finish(w)


OTHERS = {
    "types": make_types,
    "tokenizer-gpt2": lambda: make_bpe("gpt2", "gpt-2"),
    "tokenizer-neox": lambda: make_bpe("neox", "olmo"),
    "tokenizer-llama3": lambda: make_bpe("llama3", "llama-bpe", bos=0),
    "tokenizer-bert_uncased": lambda: make_word_piece("bert_uncased"),
    "tokenizer-bert_cased": lambda: make_word_piece("bert_cased"),
    "tokenizer-xlm_roberta": lambda: make_unigram("xlm_roberta", 0, 2),
    "tokenizer-sentencepiece_bpe": lambda: make_sentencepiece("sentencepiece_bpe"),
}

for number, name in enumerate(MODELS):
    if not ONLY or name in ONLY:
        make_model(name, seed=900 + number)
        print(name)
for name, make in OTHERS.items():
    if not ONLY or name in ONLY:
        make()
        print(name)
