"""Curves are those of the command line, and so is the smaller model, to the byte."""

import tempfile
import unittest
from pathlib import Path

import headscope
import numpy as np
from support import PROMPT, TableTest, cli, sample_path

TOKENS = {"length": 32, "calibrate_tokens": 512, "test_tokens": 512}
TOKEN_OPTIONS = ("--length", "32", "--calibrate-tokens", "512", "--test-tokens", "512")
FEW = {"domains": ["novel"], **TOKENS}
FEW_OPTIONS = ("--domains", "novel", *TOKEN_OPTIONS)


class TestPruning(TableTest):
    of = "attn-only-2l"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assert_written_same(self, table: headscope.Table, *options: str, texts=FEW_OPTIONS):
        for format, ours in (("csv", table.to_csv()), ("json", table.to_json())):
            path = self.folder / f"table.{format}"
            cli("prune", self.of, *options, *texts, "-o", str(path))
            self.assertEqual(path.read_bytes().decode(), ours)
        self.assertGreater(len(table), 2)

    def test_curves(self):
        self.assert_written_same(
            self.model.prune(["random:2", "gradient"], points=4, tolerance=3, seed=5, **FEW),
            *("--orders", "random:2,gradient", "--points", "4", "--tolerance", "3", "--seed", "5"),
        )
        self.assert_written_same(
            self.model.prune(
                "weight",
                points=3,
                compensate="ridge",
                ablation="mean",
                tasks=[],
                least=1,
                protect=[(0, 1)],
                **FEW,
            ),
            *("--orders", "weight", "--points", "3", "--compensate", "ridge", "--ablation", "mean"),
            *("--tasks", "none", "--least", "1", "--protect", "0.1"),
        )

    def test_own_texts_and_lists(self):
        heads = self.folder / "heads.txt"
        heads.write_text("0.1 1.2\n0.3 1.0\n", encoding="utf-8")
        text = self.folder / "text.txt"
        text.write_text("the cat sat on the mat and saw a dog. " * 40, encoding="utf-8")
        self.assert_written_same(
            self.model.prune(f"list:{heads}", points=8, calibrate=text, **TOKENS),
            *("--orders", f"list:{heads}", "--points", "8", "--calibrate", str(text)),
            texts=TOKEN_OPTIONS,
        )

    def test_several_texts(self):
        options = ("--domains", "own,stories", "--orders", "weight", "--points", "2")
        table = self.model.prune("weight", points=2, domains=["own", "stories"], **TOKENS)
        self.assert_written_same(table, *options, texts=TOKEN_OPTIONS)
        self.assertEqual(list(dict.fromkeys(table.cells("text"))), ["stories", "own"])
        self.assertIn("over 2 texts, what it writes itself among them", table.fields["verdict"])

    def test_group_queries(self):
        self.assert_written_same(self.model.group_queries(**FEW), "--group-queries")

    def test_a_smaller_model(self):
        ours, theirs = self.folder / "ours.h5", self.folder / "theirs.h5"
        saved = self.model.save_pruned(ours, order="gradient", remove=3, compensate="bias", **FEW)
        cli(
            *("prune", self.of, "--order", "gradient", "--remove", "3", "--compensate", "bias"),
            *(*FEW_OPTIONS, "-o", str(theirs)),
        )
        self.assertEqual(ours.read_bytes(), theirs.read_bytes())
        self.assertEqual(
            Path(saved.recipe).read_bytes(), (self.folder / "theirs.recipe.json").read_bytes()
        )
        self.assertEqual(len(saved.removed), 3)
        self.assertEqual(len(saved.model.all_heads), len(self.model.all_heads) - 3)
        self.assertEqual(saved.bytes, ours.stat().st_size)
        self.assertEqual(saved.model.path, str(ours))
        self.assertNotEqual(saved.model.sha256, self.model.sha256)
        masked = self.model.run(PROMPT, ablate=saved.removed, ablation="mean")
        self.assertLess(abs(saved.model.run(PROMPT).loss - masked.loss), 1.0)

    def test_a_share_of_the_heads(self):
        of_all = len(self.model.all_heads)
        for remove in (0.25, "25%", of_all // 4):
            with self.subTest(remove=remove):
                path = self.folder / f"{remove}.h5"
                saved = self.model.save_pruned(path, order="weight", remove=remove, **FEW)
                self.assertEqual(len(saved.removed), of_all // 4)

    def test_a_folder_and_a_gguf_file_are_opened(self):
        model = self.sample("llama-mini-gqa-4l")
        for name in ("smaller", "smaller.gguf"):
            with self.subTest(name=name):
                path = self.folder / name
                saved = model.save_pruned(path, order="weight", remove=2, unit="group", **FEW)
                self.assertEqual(
                    len(saved.model.all_heads), len(model.all_heads) - len(saved.removed)
                )

    def test_a_recipe_makes_the_same_file(self):
        first = self.model.save_pruned(
            self.folder / "first.h5", order="gradient", remove=2, compensate="ridge", **FEW
        )
        self.model.save_pruned(self.folder / "again.h5", recipe=first.recipe, **FEW)
        self.assertEqual(
            (self.folder / "first.h5").read_bytes(), (self.folder / "again.h5").read_bytes()
        )

    def test_a_model_is_saved(self):
        for name, dtype in (("saved.h5", "f32"), ("saved.gguf", "f16")):
            with self.subTest(name=name):
                ours, theirs = self.folder / name, self.folder / f"theirs-{name}"
                model = self.sample("gpt2-mini-6l")
                described = model.save(ours, dtype=dtype)
                cli("convert", "gpt2-mini-6l", "-o", str(theirs), "--dtype", dtype)
                self.assertEqual(ours.read_bytes(), theirs.read_bytes())
                self.assertGreater(described["tensors"], 10)
        model = self.sample("gpt2-mini-6l")
        np.testing.assert_allclose(  # the sample is float16, whose products are cut otherwise
            headscope.open(self.folder / "saved.h5").run(PROMPT).logits,
            model.run(PROMPT).logits,
            atol=1e-4,
        )

    def test_what_makes_no_sense_is_one_sentence(self):
        model, output = self.model, self.folder / "smaller.h5"
        recipe = self.folder / "wrong.recipe.json"
        recipe.write_text("{}", encoding="utf-8")
        self.assert_refused(
            lambda: model.prune("love", **FEW),
            lambda: model.prune("random:0", **FEW),
            lambda: model.prune("list:/nowhere", **FEW),
            lambda: model.prune("weight", tasks=["love"], **FEW),
            lambda: model.prune("weight", protect=[(9, 9)], **FEW),
            lambda: model.prune("weight", calibrate="/nowhere.txt", **TOKENS),
            lambda: model.prune("weight", calibrate="/nowhere.txt", **FEW),
            lambda: model.prune("weight", domains=["love"], **TOKENS),
            lambda: model.prune("weight", points=0, **FEW),
            lambda: model.save_pruned(output, order="weight", remove=0, **FEW),
            lambda: model.save_pruned(output, order="weight", remove="200%", **FEW),
            lambda: model.save_pruned(output, order="weight", remove="some", **FEW),
            lambda: model.save_pruned(self.folder / "model.xyz", order="weight", remove=1, **FEW),
            lambda: model.save_pruned(output, recipe="/nowhere.json", **FEW),
            lambda: model.save_pruned(output, recipe=recipe, **FEW),
            lambda: model.save(self.folder / "model.xyz"),
            lambda: model.save(output, dtype="q8_0"),
            lambda: model.save(output, dtype="love"),
            lambda: model.save(sample_path(self.of)),
        )
        self.assertFalse(output.exists())
        for ask in (
            lambda: model.save_pruned(output),
            lambda: model.save_pruned(output, order="weight"),
            lambda: model.save_pruned(output, order="weight", remove=1, recipe="x"),
            lambda: model.prune(unit="half"),
        ):
            with self.assertRaises(ValueError):
                ask()


if __name__ == "__main__":
    unittest.main()
