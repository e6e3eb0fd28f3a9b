"""What the questions of all analyses are made of."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Annotated, Literal, ParamSpec, TypeVar

Id = Annotated[int, 0, 2**31 - 1]  #: of a token
Place = Annotated[int, -(2**63), 2**63 - 1]  #: a position, from the end where negative
Head = tuple[int, int]  #: layer and head, both from 0
Prompt = str | Sequence[Id]  #: a text, or the ids of its tokens
Token = str | Id  #: the text of exactly one token, or its id
Path = str | os.PathLike[str]
Bos = Literal["auto", "yes", "no"]  #: auto: as the model uses it
Ablation = Literal["zero", "mean"]  #: what replaces the output of an ablated head
Metric = Literal["loss", "logit-diff", "probability", "kl"]
Method = Literal["exact", "gradient"]  #: a run for each, or all estimated by one backward pass

#: Called with the fraction done and what is being done; or True for a bar of tqdm and False for
#: none. Without either a notebook shows a bar where tqdm is installed.
Progress = Callable[[float, str], object] | bool


def prompt_of(prompt: Prompt) -> str | list[int]:
    return prompt if isinstance(prompt, str) else list(prompt)


def text_of(head: Head) -> str:
    layer, number = head
    return f"{layer}.{number}"


def texts_of(heads: Sequence[Head]) -> str:
    return ",".join(text_of(head) for head in heads)


def one_of(value: str, name: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise ValueError(f"{name} is one of {', '.join(choices)}, not {value!r}.")
    return value


_P = ParamSpec("_P")
_R = TypeVar("_R")


def formerly(**names: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Lets a method take keyword arguments by former names, until the next release; see `checked`."""

    def renaming(method: Callable[_P, _R]) -> Callable[_P, _R]:
        setattr(method, "__formerly__", names)
        return method

    return renaming


def ablation_of(ablation: str) -> str:
    return one_of(ablation, "ablation", ("zero", "mean"))


def described(prompts: Sequence[Prompt]) -> str:
    """Of prompts, as headscope-cli says what was measured on."""
    if prompts and not isinstance(prompts[0], str):
        return "the ids " + " and ".join(",".join(map(str, prompt)) for prompt in prompts)
    return 'the text "' + '" and "'.join(map(str, prompts)) + '"'


def metric_words(
    metric: str, tokens: Sequence[Token], target: Token | None, position: int | None
) -> dict[str, object]:
    return {"metric": metric, "tokens": list(tokens), "target": target, "position": position}
