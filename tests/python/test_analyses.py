"""Tables of the module are those of the command line, to the byte."""

import math
import shutil
import tempfile
import unittest
from pathlib import Path

import headscope
import numpy as np
from support import PROMPT, TableTest, sample, sample_path

GPT2 = "gpt2-mini-6l"
TEXT = ("--text", PROMPT)


class TestAnalyses(TableTest):
    def test_lens(self):
        self.assert_same(
            self.model.lens(PROMPT, token=" Mary", top=3),
            *("lens", *TEXT, "--token", " Mary", "--top", "3"),
        )

    def test_inside(self):
        self.assert_same(
            self.model.inside(PROMPT, (4, 1), query=-2, temperature=0.5, ablate=[(0, 1)]),
            *("inside", *TEXT, "--head", "4.1", "--query", "-2", "--temperature", "0.5"),
            *("--ablate", "0.1"),
        )

    def test_attribute(self):
        self.assert_same(
            self.model.attribute(PROMPT, " Mary", against=" John"),
            *("attribute", *TEXT, "--token", " Mary", "--against", " John"),
        )
        self.assert_same(
            self.model.attribute([5, 6, 7, 5], 6, position=2),
            *("attribute", "--ids", "5,6,7,5", "--token", "6", "--position", "2"),
        )

    def test_readings_of_ablated_runs(self):
        ablated = {"ablate": [(4, 1)], "ablation": "mean"}
        options = ("--ablate", "4.1", "--ablation", "mean")
        self.assert_same(self.model.lens(PROMPT, **ablated), *("lens", *TEXT, *options))
        self.assert_same(
            self.model.attribute(PROMPT, " Mary", **ablated),
            *("attribute", *TEXT, "--token", " Mary", *options),
        )
        self.assert_refused(
            lambda: self.model.attribute(PROMPT, " Mary", ablate=[(4, 1)], backup_of=[(4, 2)]),
            lambda: self.model.lens(PROMPT, top=0),
            lambda: self.model.lens(PROMPT, top=1001),
        )

    def test_backup_heads(self):
        self.assert_same(
            self.model.attribute(PROMPT, " Mary", backup_of=[(4, 1), (0, 0)], ablation="mean"),
            *("attribute", *TEXT, "--token", " Mary", "--backup-of", "4.1,0.0", "--ablation", "mean"),
        )

    def test_generate(self):
        self.assert_same(
            self.model.generate(PROMPT, tokens=5, temperature=0.7, seed=3, ablate=[(4, 1)]),
            *("generate", *TEXT, "--tokens", "5", "--temperature", "0.7", "--seed", "3"),
            *("--ablate", "4.1"),
        )

    def test_prompts(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "prompts.txt"
            path.write_text('the cat\n{"prompt": "the dog sat"}\n', encoding="utf-8")
            self.assert_same(
                self.model.prompts(path, ablate=[(4, 1)], score=((1, 0), "induction")),
                *("prompts", str(path), "--ablate", "4.1", "--score", "1.0:induction"),
            )
            of_file = self.model.prompts(path)
        given = self.model.prompts(["the cat", "the dog sat"])
        self.assertEqual(given.to_dict(), of_file.to_dict())
        by_ids = self.model.prompts([self.model.ids("the cat"), self.model.ids("the dog sat")])
        np.testing.assert_array_equal(by_ids["loss"], given["loss"])

    def test_sweep(self):
        self.assert_same(
            self.model.sweep(PROMPT, metric="logit-diff", tokens=[" Mary", " John"]),
            *("sweep", *TEXT, "--metric", "logit-diff", "--tokens", " Mary", " John"),
        )
        self.assert_same(
            self.model.sweep(
                "the cat", heads=[(1, 0), (0, 3)], ablation="resample", others=["the dog"], metric="kl"
            ),
            *("sweep", "--text", "the cat", "--heads", "1.0,0.3", "--ablation", "resample"),
            *("--with", "the dog", "--metric", "kl"),
        )
        self.assert_same(
            self.model.sweep(PROMPT, method="gradient", metric="probability", target=" Mary"),
            *("sweep", *TEXT, "--method", "gradient", "--metric", "probability"),
            *("--target", " Mary"),
        )

    def test_sweep_of_shared_keys(self):
        self.assert_same(
            sample("llama-mini-gqa-4l").sweep(PROMPT, heads="kv-groups", ablation="mean"),
            *("sweep", *TEXT, "--heads", "kv-groups", "--ablation", "mean"),
            of="llama-mini-gqa-4l",
        )

    def test_a_table_is_columns(self):
        table = self.model.sweep(PROMPT)
        self.assertEqual(len(table), 48)
        self.assertEqual(table["difference"].dtype, float)
        self.assertEqual(table.cells("heads")[9], [(1, 1)])
        np.testing.assert_allclose(
            table["value"] - table["difference"], table.fields["full"], rtol=1e-12
        )
        self.assertEqual(list(table.to_dict()), [column.key for column in table.columns])
        self.assertEqual(table.provenance["model_name"], GPT2)

    def test_nothing_is_not_a_number(self):
        readings = self.model.lens("the cat")["probability"]
        self.assertTrue(all(math.isnan(reading) for reading in readings))

    def test_a_table_is_written_as_it_prints(self):
        table = self.model.sweep("the cat")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "sweep.csv"
            table.write(path)
            self.assertEqual(path.read_text(encoding="utf-8"), table.to_csv())
            with self.assertRaisesRegex(headscope.Error, "xyz"):
                table.write(Path(folder) / "sweep.xyz")

    def test_no_table_takes_the_place_of_its_model(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.h5"
            shutil.copy(sample_path(GPT2), path)
            table = headscope.open(path).sweep("the cat")
            model = headscope.open(path)
            with self.assertRaisesRegex(headscope.Error, "part of a model that is open"):
                table.write(path)
            self.assertEqual(path.read_bytes(), sample_path(GPT2).read_bytes())
            del model
            table.write(path)  # no model is open any more

    def test_a_notebook_shows_what_people_read(self):
        shown = self.model.sweep("the <b>")._repr_html_()
        self.assertIn("<th", shown)
        self.assertIn("28 more rows", shown)
        self.assertNotIn("<b>", shown)
        # The terminal shows these scores in another form, without the headings of this one.
        self.assertIn(">induction<", sample("attn-only-2l").heads(sequences=2)._repr_html_())

    def test_what_makes_no_sense_is_one_sentence(self):
        self.assert_refused(
            lambda: self.model.sweep(PROMPT, metric="logit-diff"),
            lambda: self.model.sweep(PROMPT, metric="love"),
            lambda: self.model.sweep(PROMPT, metric="probability"),
            lambda: self.model.sweep(PROMPT, metric="kl", target=" Mary"),
            lambda: self.model.sweep(PROMPT, heads=[(9, 9)]),
            lambda: self.model.sweep(PROMPT, ablation="resample", others=["a longer prompt"]),
            lambda: self.model.lens(PROMPT, token=" several tokens here"),
            lambda: self.model.attribute(PROMPT, 1_000_000),
            lambda: self.model.attribute(PROMPT, " Mary", position=99),
            lambda: self.model.generate(PROMPT, temperature=-1),
            lambda: self.model.prompts("/nowhere.txt"),
            lambda: self.model.prompts([]),
            lambda: self.model.prompts(__file__, score=((0, 0), "love")),
        )
        with self.assertRaises(ValueError):
            self.model.sweep(PROMPT, ablation="half")
        with self.assertRaises(TypeError):
            self.model.sweep(PROMPT, **{"kind": "mean"})


if __name__ == "__main__":
    unittest.main()
