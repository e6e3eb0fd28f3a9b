"""Plain PyTorch, written with care: fused projections, no copies for grouped queries, masks and
scales in place; eager attention, because patterns are what is wanted."""
import math

import torch
import torch.nn.functional as F

import common
import shapes


def random_matrix(*size):
    return torch.empty(*size).normal_(0.0, shapes.DEVIATION)


class TorchPeer:
    name = "PyTorch"
    patterns_kept = 1
    patterns_in_flight = 1  # the scores
    activations_kept = 0

    def __init__(self, shape, n_ctx):
        self.shape = shape
        D = shape.d_model
        heads = shape.n_heads * shape.d_head
        qkv = heads + 2 * shape.n_kv_heads * shape.d_head
        self.W_E = random_matrix(shape.d_vocab, D)
        self.W_U = self.W_E if shape.gpt2 else random_matrix(shape.d_vocab, D)
        if shape.gpt2:
            self.W_pos = random_matrix(n_ctx, D)
        else:
            powers = torch.arange(0, shape.d_head, 2) / shape.d_head
            angles = torch.outer(torch.arange(n_ctx), shapes.ROTARY_BASE**-powers).repeat(1, 2)
            self.cos, self.sin = angles.cos(), angles.sin()
        self.ln_final = self.make_norm()
        self.layers = []
        for _ in range(shape.n_layers):
            layer = {"ln1": self.make_norm(), "qkv": self.make_linear(D, qkv),
                     "out": self.make_linear(heads, D), "ln2": self.make_norm(),
                     "mlp_in": self.make_linear(D, shape.d_mlp),
                     "mlp_out": self.make_linear(shape.d_mlp, D)}
            if not shape.gpt2:
                layer["gate"] = self.make_linear(D, shape.d_mlp)
            self.layers.append(layer)

    @staticmethod
    def versions():
        mkl = ", MKL" if torch.backends.mkl.is_available() else ", OpenBLAS"
        return {"torch": torch.__version__ + mkl}

    def make_norm(self):
        return torch.ones(self.shape.d_model), torch.zeros(self.shape.d_model)

    def make_linear(self, n_in, n_out):
        return random_matrix(n_in, n_out), torch.zeros(n_out) if self.shape.gpt2 else None

    def norm(self, x, weights):
        gain, bias = weights
        if self.shape.gpt2:
            return F.layer_norm(x, (x.shape[-1],), gain, bias, shapes.EPS)
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + shapes.EPS) * gain

    @staticmethod
    def linear(x, weights):
        W, b = weights
        return x @ W if b is None else torch.addmm(b, x, W)

    def rotate(self, x):
        """x [position, head, d_head]"""
        first, second = x.chunk(2, dim=-1)
        turned = torch.cat((-second, first), dim=-1)
        n = x.shape[0]
        return x * self.cos[:n, None] + turned * self.sin[:n, None]

    def attention(self, x, layer, mask, ablated_head):
        """Returns the output [position, d_model] and the pattern [head, query, key]."""
        s, n = self.shape, x.shape[0]
        widths = [s.n_heads * s.d_head, s.n_kv_heads * s.d_head, s.n_kv_heads * s.d_head]
        q, k, v = (part.view(n, -1, s.d_head)
                   for part in self.linear(x, layer["qkv"]).split(widths, dim=1))
        if not s.gpt2:
            q, k = self.rotate(q), self.rotate(k)
        # Queries that share a KV head lie below each other: [kv_head, query of all of them, d_head].
        q = (q / math.sqrt(s.d_head)).transpose(0, 1).reshape(s.n_kv_heads, -1, s.d_head)
        scores = torch.bmm(q, k.permute(1, 2, 0)).view(s.n_heads, n, n)
        pattern = scores.masked_fill_(mask, -math.inf).softmax(-1)
        z = torch.bmm(pattern.view(s.n_kv_heads, -1, n), v.transpose(0, 1)).view(s.n_heads, n, -1)
        if ablated_head is not None:
            z[ablated_head] = 0.0
        return self.linear(z.transpose(0, 1).reshape(n, -1), layer["out"]), pattern

    def mlp(self, x, layer):
        if self.shape.gpt2:
            inner = F.gelu(self.linear(x, layer["mlp_in"]), approximate="tanh")
        else:
            inner = F.silu(self.linear(x, layer["gate"])).mul_(self.linear(x, layer["mlp_in"]))
        return self.linear(inner, layer["mlp_out"])

    def run(self, ids, unembed, keep=True, ablated=(None, None)):
        ids = ids[0]
        n = ids.shape[0]
        mask = torch.ones(n, n, dtype=torch.bool).triu(1)
        x = self.W_E[ids]
        if self.shape.gpt2:
            x = x + self.W_pos[:n]
        patterns = []
        for l, layer in enumerate(self.layers):
            head = ablated[1] if ablated[0] == l else None
            out, pattern = self.attention(self.norm(x, layer["ln1"]), layer, mask, head)
            if keep:
                patterns.append(pattern)
            del pattern
            x = x + out
            x = x + self.mlp(self.norm(x, layer["ln2"]), layer)
        logits = self.norm(x, self.ln_final) @ self.W_U.t() if unembed else None
        return logits, patterns

    def forward(self, ids):
        return self.run(ids, unembed=True)

    def patterns(self, ids):
        return self.run(ids, unembed=False)

    def ablate(self, ids, layer, head):
        logits, _ = self.run(ids, unembed=True, keep=False, ablated=(layer, head))
        return F.cross_entropy(logits[:-1], ids[0, 1:]).item()


if __name__ == "__main__":
    common.main(TorchPeer)
