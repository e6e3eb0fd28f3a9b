"""The networks that everybody runs, with random weights."""
from dataclasses import dataclass

FLOAT = 4  # bytes


@dataclass(frozen=True)
class Shape:
    n_layers: int
    d_model: int
    n_heads: int
    n_kv_heads: int
    d_head: int
    d_mlp: int
    d_vocab: int
    n_ctx: int
    gpt2: bool  # LayerNorm, learned positions, GELU; otherwise RMSNorm, rotary, gated SiLU

    def parameters(self, n_ctx):
        """Of the matrices; norms and biases do not matter here."""
        qkv = (self.n_heads + 2 * self.n_kv_heads) * self.d_head
        attention = self.d_model * (qkv + self.n_heads * self.d_head)
        mlp = self.d_model * self.d_mlp * (2 if self.gpt2 else 3)
        embeddings = self.d_vocab + n_ctx if self.gpt2 else 2 * self.d_vocab
        return self.n_layers * (attention + mlp) + self.d_model * embeddings


SHAPES = {
    "gpt2-small": Shape(12, 768, 12, 12, 64, 3072, 50257, 1024, True),
    "llama-1b": Shape(22, 2048, 32, 4, 64, 5632, 32000, 2048, False),
}
EPS = 1e-5
ROTARY_BASE = 10000.0
DEVIATION = 0.02
