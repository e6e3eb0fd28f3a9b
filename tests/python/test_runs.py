"""Runs: what hooks keep and change, and who owns the numbers."""

import doctest
import gc
import tempfile
import unittest
from pathlib import Path

import headscope
import headscope.analyses
import headscope.heads
import headscope.interventions
import headscope.model
import headscope.pruning
import headscope.reading
import numpy as np
from support import PROMPT, cli, fixture_path, sample


MODULES = (
    headscope,
    headscope.analyses,
    headscope.heads,
    headscope.interventions,
    headscope.model,
    headscope.pruning,
    headscope.reading,
)


def load_tests(loader, tests, pattern):
    for module in MODULES:
        tests.addTests(doctest.DocTestSuite(module, extraglobs={"headscope": headscope}))
    return tests


class TestRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = sample("gpt2-mini-6l")

    def test_arrays_are_those_of_the_command_line(self):
        run = self.model.run(
            PROMPT, hooks=["*hook_pattern", "blocks.3.attn.hook_result"], ablate=[(4, 1), (0, 0)]
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.npz"
            cli(
                *("run", "gpt2-mini-6l", "--text", PROMPT, "--ablate", "4.1,0.0"),
                *("--hooks", "*hook_pattern,blocks.3.attn.hook_result", "-o", str(path)),
            )
            expected = np.load(path)
            names = {"logits", "input_ids", "blocks.3.attn.hook_result"} | {
                f"blocks.{layer}.attn.hook_pattern" for layer in range(6)
            }
            self.assertLessEqual(names, set(expected.files))
            for name, array in run.items():
                np.testing.assert_array_equal(array, expected[name], err_msg=name)
            self.assertEqual(set(run) | {"input_ids"}, names)
            self.assertEqual(run.ids, expected["input_ids"].tolist())

    def test_ids_are_run_as_they_are(self):
        self.assertEqual(self.model.ids([1, 5]), [1, 5])
        self.assertEqual(self.model.ids([1, 5], bos="yes"), [0, 1, 5])
        self.assertEqual(len(self.model.ids("the")), 2)

    def test_two_texts_have_two_segments(self):
        model = headscope.open(fixture_path("bert-pair"))
        run = model.run("the cat", text_pair="a dog")
        self.assertEqual(run.segments, [0, 0, 0, 0, 1, 1, 1])
        self.assertEqual(model.ids(("the cat", "a dog")), run.ids)
        typed = model.run("the cat [SEP] a dog")
        np.testing.assert_array_equal(run.logits, typed.logits)
        lens = model.lens("the cat", text_pair="a dog")
        self.assertEqual(lens.to_json(), model.lens(("the cat", "a dog")).to_json())
        self.assertEqual(self.model.run("the cat").segments, [])
        with self.assertRaisesRegex(headscope.Error, "how two texts are separated"):
            self.model.run("the cat", text_pair="a dog")
        with self.assertRaisesRegex(ValueError, "text_pair"):
            self.model.run([1, 5], text_pair="a dog")

    def test_what_it_says_of_itself(self):
        run = self.model.run(PROMPT)
        self.assertEqual(run.predictions(1)[0].piece, " Mary")
        self.assertEqual(len(run.predictions()), 5)
        self.assertEqual(len(run.tokens), len(run.ids))
        self.assertTrue(run.has_bos)
        self.assertIn("BOS", run.bos_reason)
        logits = run.logits.astype(float)
        losses = np.log(np.exp(logits).sum(-1))[:-1] - logits[np.arange(len(run.ids) - 1), run.ids[1:]]
        self.assertAlmostEqual(run.loss, losses.mean(), places=6)
        self.assertEqual(run.provenance["ablation"], "none")
        self.assertIn("Mary", run._repr_html_())

    def test_a_bidirectional_model_has_no_next_token(self):
        run = sample("bert-mini-4l").run("the cat [MASK] on the mat", hooks=["*hook_pattern"])
        self.assertIsNone(run.loss)
        self.assertTrue((run["blocks.0.attn.hook_pattern"] > 0).all())

    def test_ids_are_a_prompt(self):
        run = self.model.run(PROMPT)
        again = self.model.run(np.array(run.ids), bos="no")
        np.testing.assert_array_equal(run.logits, again.logits)
        self.assertEqual(self.model.ids(PROMPT), run.ids)
        self.assertEqual(self.model.tokens(PROMPT), run.tokens)

    def test_arrays_are_views_that_outlive_the_run(self):
        run = self.model.run(PROMPT, hooks=["*hook_z"])
        z = run["blocks.2.attn.hook_z"]
        self.assertFalse(z.flags.owndata)
        self.assertIs(run["blocks.2.attn.hook_z"], z)
        before = z.copy()
        del run
        gc.collect()
        self.model.run("something else altogether", hooks=["*hook_z"])
        np.testing.assert_array_equal(z, before)

    def test_arrays_cannot_be_written(self):
        run = self.model.run(PROMPT)
        with self.assertRaises(ValueError):
            run.logits[0, 0] = 1
        run.logits.copy()[0, 0] = 1

    def test_a_pattern_needs_no_hook(self):
        run = self.model.run(PROMPT, hooks=["blocks.4.attn.hook_pattern"])
        np.testing.assert_allclose(
            run.pattern(4, 2), run["blocks.4.attn.hook_pattern"][2], rtol=0, atol=1e-6
        )
        with self.assertRaises(headscope.Error):
            run.pattern(6, 0)

    def test_an_edit_in_place_is_an_ablation(self):
        calls = []

        def silence(z, name):
            calls.append((name, z.shape))
            z[:, 1] = 0

        edited = self.model.run(PROMPT, edits={"blocks.4.attn.hook_z": silence})
        ablated = self.model.run(PROMPT, ablate=[(4, 1)])
        np.testing.assert_array_equal(edited.logits, ablated.logits)
        self.assertEqual(calls, [("blocks.4.attn.hook_z", (len(edited.ids), 8, 32))])
        self.assertEqual(edited.audit[0]["fired"], 1)
        self.assertEqual(edited.audit[0]["changed_elements"], len(edited.ids) * 32)

    def test_an_edit_may_return_what_stands_instead(self):
        whole = self.model.run(PROMPT, hooks=["blocks.2.hook_resid_post"])
        kept = whole["blocks.2.hook_resid_post"]
        same = self.model.run(PROMPT, edits={"blocks.2.hook_resid_post": lambda x, name: kept})
        np.testing.assert_array_equal(same.logits, whole.logits)
        doubled = self.model.run(
            PROMPT,
            edits={"blocks.2.hook_resid_post": lambda x, name: x.astype(np.float64) * 2},
            hooks=["blocks.2.hook_resid_post"],
        )
        np.testing.assert_array_equal(doubled["blocks.2.hook_resid_post"], kept * 2)

    def test_an_edit_leaves_the_model_alone(self):
        before = self.model.run(PROMPT).logits.copy()
        self.model.run(PROMPT, edits={"*hook_z": lambda z, name: z.fill(0)})
        np.testing.assert_array_equal(self.model.run(PROMPT).logits, before)

    def test_what_an_edit_keeps_stays_its_own(self):
        kept = []
        run = self.model.run(
            PROMPT, edits={"*hook_z": lambda z, name: kept.append(z)}, hooks=["*hook_z"]
        )
        gc.collect()
        self.assertEqual(len(kept), 6)
        for layer, z in enumerate(kept):
            z[0, 0, 0] += 1
            z[0, 0, 0] -= 1
            np.testing.assert_allclose(z, run[f"blocks.{layer}.attn.hook_z"], atol=1e-6)

    def test_what_an_edit_raises_is_raised(self):
        calls = []

        def fail(z, name):
            calls.append(name)
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            self.model.run(PROMPT, edits={"*hook_z": fail})
        self.assertEqual(len(calls), 1)

    def test_an_edit_of_another_shape_is_refused(self):
        for returned in (np.zeros(3), "no array", np.zeros((1, 8, 32))):
            with self.assertRaises(headscope.Error) as raised:
                self.model.run(PROMPT, edits={"blocks.0.attn.hook_z": lambda z, name: returned})
            self.assertEqual(raised.exception.code, "mismatch")
            self.assertIn("blocks.0.attn.hook_z", str(raised.exception))

    def test_what_is_not_finite_is_refused(self):
        with self.assertRaisesRegex(headscope.Error, "blocks.1"):
            self.model.run(PROMPT, edits={"blocks.1.attn.hook_z": lambda z, n: z.fill(np.nan)})

    def test_what_makes_no_sense_is_one_sentence(self):
        for ask in (
            lambda: headscope.open("/nowhere/model.h5"),
            lambda: headscope.open(__file__),
            lambda: self.model.run([1_000_000]),
            lambda: self.model.run("a " * 1000),
            lambda: self.model.run(PROMPT, hooks=["nothing"]),
            lambda: self.model.run(PROMPT, edits={"nothing": print}),
            lambda: self.model.run(PROMPT, ablate=[(9, 9)]),
        ):
            with self.assertRaises(headscope.Error) as raised:
                ask()
            self.assertRegex(str(raised.exception), r"^[^\n]+\.$")
            self.assertTrue(raised.exception.code)
        with self.assertRaises(ValueError):
            self.model.run(PROMPT, ablation="half")


if __name__ == "__main__":
    unittest.main()
