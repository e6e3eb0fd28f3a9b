"""What intervenes says the same as the command line, to the byte."""

import unittest

import headscope
from support import PROMPT, TableTest

CLEAN = "When Mary and John went to the store, Mary gave a drink to"
CORRUPTED = "When Mary and John went to the store, John gave a drink to"
PAIR = ("--clean", CLEAN, "--corrupted", CORRUPTED)
DIFFERENCE = ("--metric", "logit-diff", "--tokens", " John", " Mary")


class TestInterventions(TableTest):
    def test_patch(self):
        self.assert_same(
            self.model.patch(
                CLEAN,
                CORRUPTED,
                hook="resid_pre",
                by=["position"],
                metric="logit-diff",
                tokens=[" John", " Mary"],
            ),
            *("patch", *PAIR, "--hook", "resid_pre", "--by", "position", *DIFFERENCE),
        )
        self.assert_same(
            self.model.patch(CLEAN, CORRUPTED, hook="z", by=["head"], method="gradient"),
            *("patch", *PAIR, "--hook", "z", "--by", "head", "--method", "gradient"),
        )

    def test_patch_of_ids(self):
        self.assert_same(
            self.model.patch([5, 6, 7], [5, 8, 7], hook="attn_out", metric="kl"),
            *("patch", "--clean", "5,6,7", "--corrupted", "5,8,7", "--as-ids"),
            *("--hook", "attn_out", "--metric", "kl"),
        )

    def test_patch_path(self):
        self.assert_same(
            self.model.patch(CLEAN, CORRUPTED, path=("0.1,0.2", "3.0:q,4.1:k")),
            *("patch", *PAIR, "--path", "0.1,0.2", "3.0:q,4.1:k"),
        )
        self.assert_same(
            self.model.patch(
                CLEAN,
                CORRUPTED,
                path=("all", "logits"),
                metric="logit-diff",
                tokens=[" John", " Mary"],
            ),
            *("patch", *PAIR, "--path", "all", "logits", *DIFFERENCE),
        )

    def test_edges(self):
        pair = ("the cat sat", "the dog sat")
        words = ("--clean", pair[0], "--corrupted", pair[1])
        self.assert_same(
            self.model.edges(*pair, estimate="integrated", steps=3, top=5, exact=True),
            *("edges", *words, "--estimate", "integrated", "--steps", "3", "--top", "5", "--exact"),
        )
        self.assert_same(
            self.model.edges(*pair, circuits=True, sizes=[0, 3, 10]),
            *("edges", *words, "--circuits", "--sizes", "0,3,10"),
        )

    def test_token_dependence(self):
        self.assert_same(
            self.model.token_dependence("the cat sat", metric="probability", target=" on", steps=4),
            *("tokens", "--text", "the cat sat", "--metric", "probability", "--target", " on"),
            *("--steps", "4"),
        )
        self.assert_same(
            self.model.token_dependence(
                PROMPT, weight=((4, 1), 14, 2), methods=["hide", "replace"], replace_mean=True
            ),
            *("tokens", "--text", PROMPT, "--weight", "4.1:14:2", "--methods", "hide,replace"),
            "--replace-mean",
        )
        self.assert_same(
            self.model.token_dependence([5, 6, 7], score=((1, 0), 2, 0), replace=9, methods=["hide"]),
            *("tokens", "--ids", "5,6,7", "--score", "1.0:2:0", "--replace", "9"),
            *("--methods", "hide"),
        )

    def test_what_makes_no_sense_is_one_sentence(self):
        model = self.model
        self.assert_refused(
            lambda: model.patch(CLEAN, "too short", hook="z"),
            lambda: model.patch(CLEAN, CORRUPTED, hook="nothing"),
            lambda: model.patch(CLEAN, CORRUPTED, hook="resid_pre", by=["head"]),
            lambda: model.patch(CLEAN, CORRUPTED, hook="z", method="gradient", metric="kl"),
            lambda: model.patch(CLEAN, CORRUPTED),
            lambda: model.patch(CLEAN, CORRUPTED, hook="z", path=("all", "logits")),
            lambda: model.patch(CLEAN, CORRUPTED, path=("", "logits")),
            lambda: model.patch(CLEAN, CORRUPTED, path=("all", "")),
            lambda: model.patch(CLEAN, CORRUPTED, path=("all", "1.0:z")),
            lambda: model.edges(CLEAN, CORRUPTED, sizes=[1]),
            lambda: model.edges(CLEAN, CORRUPTED, metric="kl"),
            lambda: model.edges(CLEAN, CORRUPTED, estimate="integrated", steps=0),
            lambda: model.token_dependence("the cat", weight=((9, 9), 1, 0)),
            lambda: model.token_dependence("the cat", weight=((0, 0), 0, 1), score=((0, 0), 1, 0)),
            lambda: model.token_dependence("the cat", weight=((0, 0), 1, 0), metric="kl"),
            lambda: model.token_dependence("the cat", replace=" dog", replace_mean=True),
            lambda: model.token_dependence("the cat", methods=["love"]),
            lambda: model.sweep("the cat", metric="logit-diff", tokens=[" dog", 5]),
            lambda: model.patch(CLEAN, CORRUPTED, hook="z", by=["layer"]),
            lambda: model.edges(CLEAN, CORRUPTED, estimate="half"),
        )


if __name__ == "__main__":
    unittest.main()
