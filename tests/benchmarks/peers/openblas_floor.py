"""The matrix products of a forward pass and nothing else, through OpenBLAS with its own threads:
what no engine on this BLAS can go below without computing less. Prints JSON lines as the peers do,
for 'floor' (with the unembedding) and 'patterns-floor' (up to the last layer's queries and keys).
"""
import argparse
import ctypes
import json
import statistics
import time

from shapes import FLOAT, SHAPES

ROW_MAJOR, NO_TRANSPOSE, TRANSPOSE = 101, 111, 112
SMALL_BYTES = 0x3C  # four of them are the float32 0.0115


def load_blas(threads):
    blas = ctypes.CDLL("libopenblas.so.0")
    blas.openblas_get_corename.restype = ctypes.c_char_p
    blas.openblas_set_num_threads(threads)
    blas.cblas_sgemm.restype = None
    blas.cblas_sgemm.argtypes = [ctypes.c_int] * 6 + [
        ctypes.c_float, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int,
        ctypes.c_float, ctypes.c_void_p, ctypes.c_int]
    return blas


def numbers(count):
    """Written to, because untouched memory would all be one page."""
    array = (ctypes.c_float * count)()
    ctypes.memset(array, SMALL_BYTES, FLOAT * count)
    return array


class Products:
    def __init__(self, blas, shape, tokens):
        self.blas, self.tokens = blas, tokens
        heads = shape.n_heads * shape.d_head
        qkv = heads + 2 * shape.n_kv_heads * shape.d_head
        after = [(heads, shape.d_model), (shape.d_mlp, shape.d_model)]
        after += [(shape.d_model, shape.d_mlp)] * (1 if shape.gpt2 else 2)
        self.qkv = [self.weights(shape.d_model, qkv) for _ in range(shape.n_layers)]
        self.after = [[self.weights(*size) for size in after] for _ in range(shape.n_layers)]
        self.unembedding = self.weights(shape.d_model, shape.d_vocab)
        self.shape, self.heads = shape, heads
        rows = min(tokens, max(64, min(128, 2**18 // tokens)))  # as the engine blocks its rows
        self.blocks = [(begin, min(rows, tokens - begin)) for begin in range(0, tokens, rows)]
        self.scores = numbers(rows * tokens)
        self.x = numbers(tokens * max(heads, shape.d_mlp, shape.d_model))
        self.out = numbers(tokens * max(qkv, shape.d_mlp, shape.d_vocab))

    @staticmethod
    def weights(n_in, n_out):
        return n_in, n_out, numbers(n_in * n_out)

    def product(self, n_in, n_out, W, transpose=NO_TRANSPOSE):
        stride = n_out if transpose == NO_TRANSPOSE else n_in
        self.blas.cblas_sgemm(ROW_MAJOR, NO_TRANSPOSE, transpose, self.tokens, n_out, n_in, 1.0,
                              self.x, n_in, W, stride, 0.0, self.out, n_out)

    def attention(self, patterns_alone):
        """q kT and P v of every head, by blocks of rows and the keys that they see."""
        d = self.shape.d_head
        for _ in range(self.shape.n_heads):
            for begin, rows in self.blocks:
                keys = begin + rows
                self.blas.cblas_sgemm(ROW_MAJOR, NO_TRANSPOSE, TRANSPOSE, rows, keys, d, 1.0,
                                      self.x, self.heads, self.x, self.heads, 0.0, self.scores,
                                      keys)
                if not patterns_alone:
                    self.blas.cblas_sgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, rows, d, keys,
                                          1.0, self.scores, keys, self.x, self.heads, 0.0,
                                          self.out, self.heads)

    def run(self, what):
        for layer, (qkv, after) in enumerate(zip(self.qkv, self.after)):
            self.product(*qkv)
            patterns_alone = what == "patterns-floor" and layer + 1 == len(self.qkv)
            self.attention(patterns_alone)
            if patterns_alone:
                return
            for weights in after:
                self.product(*weights)
        self.product(*self.unembedding, transpose=TRANSPOSE)


def time_runs(work, repeats):
    seconds = []
    for _ in range(repeats + 1):  # the first warms up
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return sorted(seconds[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shape", choices=SHAPES, default="gpt2-small")
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--what", default="floor,patterns-floor")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    blas = load_blas(arguments.threads)
    products = Products(blas, SHAPES[arguments.shape], arguments.tokens)
    for what in arguments.what.split(","):
        seconds = time_runs(lambda: products.run(what), arguments.repeats)
        print(json.dumps({
            "what": what, "tokens": arguments.tokens, "seconds": seconds,
            "median_seconds": statistics.median(seconds), "peak_bytes": None,
            "versions": {"core type": blas.openblas_get_corename().decode()}}), flush=True)


if __name__ == "__main__":
    main()
