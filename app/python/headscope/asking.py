"""What the questions of all analyses are made of."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Annotated, Literal

Id = Annotated[int, 0, 2**31 - 1]  #: of a token
Place = Annotated[int, -(2**63), 2**63 - 1]  #: a position, from the end where negative
Head = tuple[int, int]  #: layer and head, both from 0
#: a text; two texts that the tokenizer separates, ``("the cat", "the dog")``; or the ids of tokens,
#: which are run as they are: no BOS goes before them unless bos="yes"
Prompt = str | tuple[str, str] | Sequence[Id]
Token = str | Id  #: the text of exactly one token, or its id
Path = str | os.PathLike[str]
Bos = Literal["auto", "yes", "no"]  #: auto: before texts as the model uses it, never before ids
Ablation = Literal["zero", "mean"]  #: what replaces the output of an ablated head
Metric = Literal["loss", "logit-diff", "probability", "kl"]
Method = Literal["exact", "gradient"]  #: a run for each, or all estimated by one backward pass

#: Called with the fraction done and what is being done; or True for a bar of tqdm and False for
#: none. Without either a notebook shows a bar where tqdm is installed.
Progress = Callable[[float, str], object] | bool


def prompt_of(prompt: Prompt, text_pair: str | None = None) -> str | tuple[str, str] | list[int]:
    if text_pair is not None:
        if not isinstance(prompt, str):
            raise ValueError("text_pair is the second of two texts; the prompt must be a text, too.")
        return (prompt, text_pair)
    if isinstance(prompt, str):
        return prompt
    if isinstance(prompt, tuple) and any(isinstance(part, str) for part in prompt):
        first, second = prompt
        return (str(first), str(second))
    return [int(token) for token in prompt]


def text_of(head: Head) -> str:
    layer, number = head
    return f"{layer}.{number}"


def texts_of(heads: Sequence[Head]) -> str:
    return ",".join(text_of(head) for head in heads)


def entry_of(entry: tuple[Head, int, int] | None) -> str | None:
    if entry is None:
        return None
    head, query, key = entry
    return f"{text_of(head)}:{query}:{key}"


def one_of(value: str, name: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise ValueError(f"{name} is one of {', '.join(choices)}, not {value!r}.")
    return value


def ablation_of(ablation: str) -> str:
    return one_of(ablation, "ablation", ("zero", "mean"))


def metric_words(
    metric: str, tokens: Sequence[Token], target: Token | None, position: int | None
) -> dict[str, object]:
    return {"metric": metric, "tokens": list(tokens), "target": target, "position": position}
