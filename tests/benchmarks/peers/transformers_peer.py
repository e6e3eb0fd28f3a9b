"""Hugging Face transformers with eager attention and output_attentions=True."""
import torch
import torch.nn.functional as F
import transformers

import common
import shapes


def random_model(shape, n_ctx):
    """In evaluation mode; the library draws the weights itself."""
    if shape.gpt2:
        config = transformers.GPT2Config(
            n_layer=shape.n_layers, n_embd=shape.d_model, n_head=shape.n_heads,
            n_inner=shape.d_mlp, vocab_size=shape.d_vocab, n_positions=n_ctx,
            layer_norm_epsilon=shapes.EPS, attn_implementation="eager")
        return transformers.GPT2LMHeadModel(config).eval()
    config = transformers.LlamaConfig(
        num_hidden_layers=shape.n_layers, hidden_size=shape.d_model,
        num_attention_heads=shape.n_heads, num_key_value_heads=shape.n_kv_heads,
        head_dim=shape.d_head, intermediate_size=shape.d_mlp, vocab_size=shape.d_vocab,
        max_position_embeddings=n_ctx, rms_norm_eps=shapes.EPS, attn_implementation="eager")
    return transformers.LlamaForCausalLM(config).eval()


class TransformersPeer:
    name = "transformers"
    patterns_kept = 1
    patterns_in_flight = 3  # scores, scaled scores and masked scores
    activations_kept = 0

    def __init__(self, shape, n_ctx):
        self.shape = shape
        self.model = random_model(shape, n_ctx)

    @staticmethod
    def versions():
        return {"transformers": transformers.__version__, "torch": torch.__version__}

    def forward(self, ids):
        return self.model(ids, output_attentions=True, use_cache=False)

    def patterns(self, ids):
        return self.model.base_model(ids, output_attentions=True, use_cache=False)

    def ablate(self, ids, layer, head):
        def zero_head(_, arguments):
            z = arguments[0].clone()
            z[..., head * self.shape.d_head:(head + 1) * self.shape.d_head] = 0.0
            return (z, *arguments[1:])

        base = self.model.base_model
        W_O = base.h[layer].attn.c_proj if self.shape.gpt2 else base.layers[layer].self_attn.o_proj
        hook = W_O.register_forward_pre_hook(zero_head)
        logits = self.model(ids, use_cache=False).logits
        hook.remove()
        return F.cross_entropy(logits[0, :-1], ids[0, 1:]).item()


if __name__ == "__main__":
    common.main(TransformersPeer)
