"""What takes heads apart says the same as the command line, to the byte."""

import tempfile
import unittest
from pathlib import Path

from support import PROMPT, TableTest, cli

TEXT = ("--text", PROMPT)
LLAMA = "llama-mini-gqa-4l"


class TestCircuits(TableTest):
    def test_why(self):
        self.assert_same(self.model.why(PROMPT, (4, 1)), *("why", *TEXT, "--head", "4.1"))
        self.assert_same(
            self.model.why(PROMPT, (4, 1), query=-2, key=3, against="1", ablate=[(0, 0)]),
            *("why", *TEXT, "--head", "4.1", "--query", "-2", "--key", "3", "--against", "1"),
            *("--ablate", "0.0"),
        )

    def test_why_in_other_ways(self):
        for keywords, options in (
            ({"signals": 4}, ("--signals", "4")),
            ({"dimensions": True}, ("--dimensions",)),
            ({"dimensions": True, "all_keys": True}, ("--dimensions", "--all-keys")),
            ({"remove": "key:0.0"}, ("--remove", "key:0.0")),
            (
                {"trace": True, "follow": ["0.0:-3"], "follow_from": 0.5},
                ("--trace", "--follow", "0.0:-3", "--follow-from", "0.5"),
            ),
            ({"trace": True, "least": 0.2, "nodes": 9}, ("--trace", "--least", "0.2", "--nodes", "9")),
        ):
            with self.subTest(**keywords):
                self.assert_same(
                    self.model.why(PROMPT, (4, 1), against="none", **keywords),
                    *("why", *TEXT, "--head", "4.1", "--against", "none", *options),
                )

    def test_a_trace_begins_at_a_logit(self):
        self.assert_same(
            self.model.why(PROMPT, token=" Mary", against_token=" John", trace=True),
            *("why", *TEXT, "--token", " Mary", "--against-token", " John", "--trace"),
        )

    def test_a_trace_is_a_graph(self):
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = Path(folder) / "ours.graphml", Path(folder) / "theirs.graphml"
            self.model.why(PROMPT, (4, 1), trace=True, graphml=ours)
            cli("why", self.of, *TEXT, "--head", "4.1", "--trace", "--graphml", str(theirs))
            self.assertEqual(ours.read_bytes(), theirs.read_bytes())

    def test_circuits(self):
        self.assert_same(
            self.model.circuits(composition=True, top=7), *("circuits", "--composition", "--top", "7")
        )
        self.assert_same(
            self.model.circuits(composition=True, kind="v"), *("circuits", "--composition", "--kind", "v")
        )
        copying = self.model.circuits(copying=True, top=3)
        self.assert_same(copying, *("circuits", "--copying", "--top", "3"))
        # In JSON a head is two numbers, one of them called "head", too.
        self.assertTrue(all(isinstance(head, tuple) for head in copying.cells("head")))
        self.assert_same(
            self.model.circuits(ov=(4, 1), top=2),
            *("circuits", "--ov", "4.1", "--top", "2"),
        )

    def test_composition_of_rotary_positions(self):
        self.assert_same(
            self.sample(LLAMA).circuits(composition=True, offset=1),
            *("circuits", "--composition", "--offset", "1"),
            of=LLAMA,
        )

    def test_what_makes_no_sense_is_one_sentence(self):
        model = self.model
        self.assert_refused(
            lambda: model.why(PROMPT, (9, 9)),
            lambda: model.why(PROMPT, (4, 1), query=99),
            lambda: model.why(PROMPT, (4, 1), key=99),
            lambda: model.why(PROMPT, (4, 1), remove="key:love"),
            lambda: model.why(PROMPT, (4, 1), trace=True, graphml="/nowhere/graph.graphml"),
            lambda: model.why(PROMPT, token=" several tokens", trace=True),
            lambda: model.circuits(ov=(9, 9)),
            lambda: model.why(PROMPT),
            lambda: model.why(PROMPT, (4, 1), token=" Mary", trace=True),
            lambda: model.why(PROMPT, token=" Mary"),
            lambda: model.why(PROMPT, (4, 1), signals=1, trace=True),
            lambda: model.why(PROMPT, (4, 1), all_keys=True),
            lambda: model.why(PROMPT, (4, 1), graphml="graph.graphml"),
            lambda: model.circuits(),
            lambda: model.circuits(copying=True, ov=(0, 0)),
            lambda: model.circuits(copying=True, offset=1),
            lambda: model.circuits(copying=True, kind="q"),
            lambda: model.circuits(composition=True, kind="x"),
            lambda: model.why(PROMPT, (4, 1), follow_from=0.5),
            lambda: model.why(PROMPT, (4, 1), follow=["0.0:-3"]),
        )


if __name__ == "__main__":
    unittest.main()
