"""What heads do, as the command line says it, to the byte."""

import json
import tempfile
import unittest
from pathlib import Path

import headscope
from support import PROMPT, TableTest, cli, sample

TEXT = ("--text", PROMPT)
TREEBANK = """\
1\tthe\tthe\tDET\t_\t_\t2\tdet\t_\t_
2\tcat\tcat\tNOUN\t_\t_\t3\tnsubj\t_\t_
3\tsat\tsit\tVERB\t_\t_\t0\troot\t_\t_

"""


class TestHeads(TableTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.corpus = self.folder / "story.txt"
        self.corpus.write_text("The cat and the dog sat on the mat. " * 20, encoding="utf-8")

    def test_heads(self):
        self.assert_same(
            sample("attn-only-2l").heads(sequences=3, period=20, seed=7),
            *("heads", "--sequences", "3", "--period", "20", "--seed", "7"),
            of="attn-only-2l",
        )

    def test_heads_of_some_types(self):
        self.assert_same(
            self.model.heads([PROMPT], types=["induction", "sink"]),
            *("heads", *TEXT, "--types", "induction,sink"),
        )

    def test_heads_on_prompts(self):
        self.assert_same(
            self.model.heads(["the cat and the cat", PROMPT], bos="no"),
            *("heads", "--text", "the cat and the cat", *TEXT, "--bos", "no"),
        )
        self.assert_same(
            self.model.heads([[5, 6, 7, 5, 6, 7], (8, 9, 8)]),
            *("heads", "--ids", "5,6,7,5,6,7", "--ids", "8,9,8"),
        )

    def test_heads_on_files(self):
        self.assert_same(
            self.model.heads(corpus=self.corpus, length=32, types=["previous", "sink"]),
            *("heads", "--corpus", str(self.corpus), "--length", "32"),
            *("--types", "previous,sink"),
        )
        treebank = self.folder / "bank.conllu"
        treebank.write_text(TREEBANK, encoding="utf-8")
        self.assert_same(
            self.model.heads(treebank=treebank),
            *("heads", "--conllu", str(treebank)),
        )
        with self.assertRaises(ValueError):
            self.model.heads([PROMPT], corpus=self.corpus)

    def test_effect(self):
        self.assert_same(
            self.model.effect((4, 1), [PROMPT, "the cat sat"], others=3, seed=5, ablation="zero"),
            *("effect", "4.1", *TEXT, "--text", "the cat sat", "--others", "3", "--seed", "5"),
            *("--ablation", "zero"),
        )
        self.assert_same(
            sample("induction-circuit").effect((1, 0), others=2, ablation="pattern-preserving"),
            *("effect", "1.0", "--others", "2", "--ablation", "pattern-preserving"),
            of="induction-circuit",
        )

    def test_effect_with_all_options(self):
        table = sample("induction-circuit").effect(
            (1, 0), ablation="zero", least_effect=0.5, most_sequences=20, backups=True
        )
        self.assert_same(
            table,
            *("effect", "1.0", "--ablation", "zero", "--least-effect", "0.5"),
            *("--most-sequences", "20", "--backups"),
            of="induction-circuit",
        )
        self.assertEqual(table.fields["verdict"], "no effect found")
        self.assertIn("Backed up by 1.3", table.fields["sentence"])

    def test_effect_of_a_type(self):
        table = sample("induction-circuit").effect(type="induction", seed=3, most_sequences=20)
        self.assert_same(
            table,
            *("effect", "--type", "induction", "--seed", "3", "--most-sequences", "20"),
            of="induction-circuit",
        )
        self.assertEqual(table.fields["verdict"], "needed")
        with self.assertRaises(headscope.Error):
            self.model.effect(type="inducing")

    def test_trust(self):
        circuit = sample("induction-circuit")
        table = circuit.trust(period=20, seed=3)
        self.assert_same(
            table,
            *("heads", "--trust", "--period", "20", "--seed", "3"),
            of="induction-circuit",
        )
        self.assertIn("secondary", table.cells("word"))
        self.assert_same(
            circuit.trust([(0, 0), (1, 0)], types=["previous", "induction"], effects=False),
            *("heads", "--trust", "--heads", "0.0,1.0", "--types", "previous,induction"),
            "--no-effects",
            of="induction-circuit",
        )
        own = self.model.trust(
            types=["previous"], effects=False, text=Path(__file__).read_text(encoding="utf-8")
        )
        self.assertIn("tokens of your text", own.to_json())
        with self.assertRaises(headscope.Error):
            circuit.trust(types=["inducing"])
        with self.assertRaises(headscope.Error):
            circuit.trust([(9, 9)])

    def test_examples(self):
        self.assert_same(
            self.model.examples(
                self.corpus, heads=[(4, 1), (0, 2)], count=4, length=16, effect="mean", bos="no"
            ),
            *("examples", "--corpus", str(self.corpus), "--heads", "4.1,0.2", "--count", "4"),
            *("--length", "16", "--effect", "mean", "--bos", "no"),
        )
        self.assert_same(
            self.model.examples(show="random", seed=3, count=2, tokens=700),
            *("examples", "--show", "random", "--seed", "3", "--count", "2", "--tokens", "700"),
        )

    def test_similarity(self):
        self.assert_same(
            self.model.similarity([PROMPT], below=0.1),
            *("similarity", *TEXT, "--below", "0.1"),
        )

    def test_info(self):
        self.assertEqual(self.model.info(), json.loads(cli("info", self.of, "--json")))

    def test_verify(self):
        model = sample("induction-circuit")
        read = json.loads(cli("verify", "induction-circuit", "--json"))
        report = model.verify()
        self.assertTrue(report["passed"])
        self.assertEqual(report["model"], read["model"])
        self.assertEqual(
            [section["name"] for section in report["sections"]],
            [section["name"] for section in read["sections"]],
        )
        self.assertIsNone(headscope.verify()["model"])

    def test_what_makes_no_sense_is_one_sentence(self):
        self.assert_refused(
            lambda: self.model.heads(corpus="/nowhere.txt"),
            lambda: self.model.heads(treebank=self.corpus),
            lambda: self.model.heads(corpus=self.corpus, length=1),
            lambda: self.model.heads(corpus=self.corpus, length=0),
            lambda: self.model.effect((9, 9)),
            lambda: self.model.effect((4, 1), [PROMPT, "the cat"], ablation="resample"),
            lambda: self.model.effect((4, 1), ablation="half"),
            lambda: self.model.effect(),
            lambda: self.model.effect((4, 1), type="induction"),
            lambda: self.model.effect((4, 1), others=0),
            lambda: self.model.examples("/nowhere.txt"),
            lambda: self.model.examples(heads=[(9, 9)]),
            lambda: self.model.examples(self.corpus, length=1),
            lambda: self.model.verify(reference="/nowhere.h5"),
        )
        for ask in (
            lambda: self.model.examples(show="best"),
            lambda: self.model.examples(effect="half"),
        ):
            with self.assertRaises(ValueError):
                ask()


if __name__ == "__main__":
    unittest.main()
