"""What all peers share: shapes, arguments, timing, memory, and one line of JSON per measurement.

A peer is a class with
    name
    patterns_kept                   arrays [head, query, key] that stay of each layer
    patterns_in_flight              further ones while a layer runs
    activations_kept                numbers that stay per position and layer, in units of d_model
    versions()                      {package: version}
    __init__(shape, n_ctx)          makes random weights
    forward(ids)                    every pattern kept, and logits at every position
    patterns(ids)                   every pattern kept, no unembedding
    ablate(ids, layer, head)        the loss of a forward pass with one head's z set to zero
where ids are a tensor [1, position].
"""
import argparse
import ctypes
import json
import os
import statistics
import time

import torch

from shapes import FLOAT, SHAPES

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


def status_bytes(key):
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024
    return None


def available_bytes():
    with open("/proc/meminfo") as info:
        for line in info:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024


def give_memory_back():
    ctypes.CDLL(None).malloc_trim(0)


def watch_peak():
    """VmHWM starts again from what is in memory now."""
    give_memory_back()
    with open("/proc/self/clear_refs", "w") as clear_refs:
        clear_refs.write("5")


def needed_bytes(peer, shape, what, tokens):
    """What a run takes, weights included, as far as it grows with the prompt."""
    one_layer = shape.n_heads * tokens * tokens
    layers_kept = 1 if what == "ablate" else shape.n_layers
    kept = layers_kept * one_layer * peer.patterns_kept
    kept += layers_kept * tokens * shape.d_model * peer.activations_kept
    in_flight = one_layer * peer.patterns_in_flight
    logits = tokens * shape.d_vocab
    n_ctx = max(shape.n_ctx, tokens)
    return FLOAT * (kept + in_flight + logits + shape.parameters(n_ctx))


def seconds_of(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def time_runs(work, repeats):
    work()  # warms up
    return [seconds_of(work) for _ in range(repeats)]


def time_ablations(peer, shape, ids, heads):
    """Every head costs the same, so some are timed, evenly spread, and their median is scaled."""
    total = shape.n_layers * shape.n_heads
    chosen = [i * total // heads for i in range(heads)]
    peer.ablate(ids, 0, 0)
    seconds = [seconds_of(lambda: peer.ablate(ids, *divmod(i, shape.n_heads))) for i in chosen]
    return [total * one for one in seconds]


def measure(peer, shape, what, tokens, arguments, resident):
    ids = torch.randint(0, shape.d_vocab, (1, tokens))
    watch_peak()
    result = {}
    with torch.inference_mode():
        if what == "ablate":
            seconds = time_ablations(peer, shape, ids, arguments.heads)
            result["scaled_from_heads"] = arguments.heads
            result["heads"] = shape.n_layers * shape.n_heads
        else:
            seconds = time_runs(lambda: getattr(peer, what)(ids), arguments.repeats)
    result["median_seconds"] = statistics.median(seconds)
    result["seconds"] = sorted(seconds)
    result["peak_bytes"] = max(0, status_bytes("VmHWM") - resident)
    return result


def parse_arguments(peer_class):
    parser = argparse.ArgumentParser(description=f"Times {peer_class.name}; prints JSON lines.")
    parser.add_argument("--shape", choices=SHAPES, default="gpt2-small")
    parser.add_argument("--tokens", default="16,128", help="lengths, separated by commas")
    parser.add_argument("--what", default="forward,patterns", help="of forward,patterns,ablate")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--dtype", choices=DTYPES, default="f32", help="of weights and activations")
    parser.add_argument("--heads", type=int, default=6, help="ablations timed, then scaled to all")
    arguments = parser.parse_args()
    arguments.tokens = [int(text) for text in arguments.tokens.split(",")]
    arguments.what = arguments.what.split(",")
    if not set(arguments.what) <= {"forward", "patterns", "ablate"}:
        parser.error("--what takes forward, patterns and ablate")
    return arguments


def main(peer_class):
    arguments = parse_arguments(peer_class)
    shape = SHAPES[arguments.shape]
    torch.manual_seed(0)
    torch.set_default_dtype(DTYPES[arguments.dtype])
    torch.set_num_threads(arguments.threads)
    torch.set_num_interop_threads(1)
    facts = {
        "peer": peer_class.name,
        "shape": arguments.shape,
        "threads": arguments.threads,
        "dtype": arguments.dtype,
        "versions": peer_class.versions(),
        "openblas_coretype": os.environ.get("OPENBLAS_CORETYPE"),
    }
    peer = None
    for tokens in arguments.tokens:
        room = available_bytes() + (0 if peer is None else status_bytes("VmRSS"))
        for what in arguments.what:
            line = {**facts, "tokens": tokens, "what": what}
            needed = needed_bytes(peer_class, shape, what, tokens)
            if needed > room:
                print(json.dumps({**line, "needs_bytes": needed}), flush=True)
                continue
            if peer is None:
                peer = peer_class(shape, max(shape.n_ctx, *arguments.tokens))
                give_memory_back()
                resident = status_bytes("VmRSS")
            line.update(measure(peer, shape, what, tokens, arguments, resident))
            print(json.dumps(line), flush=True)
