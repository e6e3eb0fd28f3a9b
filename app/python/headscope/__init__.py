"""See, name and ablate the attention heads of a transformer.

>>> import headscope
>>> m = headscope.open(headscope.sample("induction-circuit"))
>>> r = m.run("A B C D A B C", hooks=["blocks.*.attn.hook_pattern"])
>>> r.predictions(1)[0].piece
'd'
>>> r["blocks.1.attn.hook_pattern"].shape   # [head, query, key]
(4, 8, 8)

Numbers are those of headscope-cli and of the window, to the bit. What cannot be done raises
`headscope.Error` with one sentence. While anything is computed other Python threads run, and Ctrl+C
stops it.
"""

import warnings as _warnings

from headscope._headscope import Error, __version__
from headscope._headscope import missed_blas_kernels as _missed_blas_kernels
from headscope.asking import Head
from headscope.figure import Figure
from headscope.model import Model, open, verify
from headscope.pruning import Pruned
from headscope.run import Prediction, Run
from headscope.samples import sample, samples
from headscope.table import Column, Table

__all__ = [
    "Column",
    "Error",
    "Figure",
    "Head",
    "Model",
    "Prediction",
    "Pruned",
    "Run",
    "Table",
    "__version__",
    "open",
    "sample",
    "samples",
    "verify",
]

if _missed_blas_kernels:
    _warnings.warn(
        "OpenBLAS is older than this processor and runs kernels that need about five times as long; "
        f"set OPENBLAS_CORETYPE={_missed_blas_kernels} before Python starts.",
        RuntimeWarning,
        stacklevel=2,
    )
