"""Whatever a public function is given, it answers or raises headscope.Error with one sentence."""

import inspect
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import headscope
import numpy as np
from support import sample, sample_path

# No parameter takes any of these.
NEVER = (object(), b"bytes", 1j, "\ud800", [object()], (b"x", 1.5), np.array(1j), {1: 2})
# What each needs beside what it is wrongly given.
NEEDED = {
    "prompt": "the cat",
    "clean": "the cat",
    "corrupted": "the dog",
    "token": " the",
    "head": (0, 0),
    "hook": "z",
    "kind": "copying",
    "prompts": ["the cat"],
    "key": "head",
    "layer": 0,
    "name": "attn-only-2l",
    "path": sample_path("attn-only-2l"),
    "output": "/nowhere/model.h5",
    "type": "induction",
}


def public_methods(of: object) -> list[tuple[str, object]]:
    return [
        (f"{type(of).__name__}.{name}", getattr(of, name))
        for name, member in inspect.getmembers(type(of), inspect.isfunction)
        if not name.startswith("_") and member.__module__.startswith("headscope")
    ]


class TestWrongValues(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = sample("attn-only-2l")
        run = cls.model.run("the cat")
        cls.needed = NEEDED | {"run": run}
        figure = cls.model.show(run, (0, 0))
        cls.callables = [
            ("open", headscope.open),
            ("verify", headscope.verify),
            ("sample", headscope.sample),
            *((made.__name__, made) for made in (headscope.Model, headscope.Run, headscope.Table)),
            ("Figure", headscope.Figure),
            *public_methods(cls.model),
            *public_methods(run),
            *public_methods(cls.model.lens("the cat")),
            *public_methods(figure),
        ]

    def assert_refused(self, ask, *args, **kwargs):
        with self.assertRaises(headscope.Error) as raised:
            ask(*args, **kwargs)
        self.assertRegex(str(raised.exception), r"^[ -~…]+\.$")
        self.assertTrue(raised.exception.code)
        return str(raised.exception)

    def test_every_parameter_of_everything_public(self):
        seen = 0
        for name, asked in self.callables:
            parameters = inspect.signature(asked).parameters
            needed = {
                each: self.needed.get(each)
                for each, parameter in parameters.items()
                if parameter.default is inspect.Parameter.empty
            }
            for parameter in parameters:
                for wrong in NEVER:
                    with self.subTest(asked=name, parameter=parameter, wrong=repr(wrong)):
                        sentence = self.assert_refused(asked, **(needed | {parameter: wrong}))
                        self.assertTrue(sentence.startswith(f"{parameter} is "), sentence)
                        seen += 1
        self.assertGreater(seen, 1000)

    def test_ids(self):
        for wrong in (b"bytes", [1.0], [2**31], [-1], [True], ["a"], 7, None, np.array([1.5])):
            with self.subTest(wrong=wrong):
                self.assert_refused(self.model.run, wrong)
                self.assert_refused(self.model.ids, wrong)
        for wrong in (b"a", 2**31, 1.0, True, "\udcff"):
            with self.subTest(wrong=wrong):
                self.assert_refused(self.model.lens, "the cat", token=wrong)
        self.assertEqual(self.model.ids(np.array([3, 4], dtype=np.uint8), bos="no"), [3, 4])

    def test_whole_numbers(self):
        for wrong in (-1, 2**64, 1.0, True, "1"):
            with self.subTest(wrong=wrong):
                self.assert_refused(self.model.lens, "the cat", top=wrong)
                self.assert_refused(self.model.circuits, "copying", top=wrong)
                self.assert_refused(self.model.run("the cat").predictions, wrong)
        self.assertEqual(len(self.model.run("the cat").predictions(np.int64(2))), 2)

    def test_bos_is_a_word(self):
        sentence = self.assert_refused(self.model.run, "the cat", bos=True)
        self.assertEqual(sentence, 'bos is True; it must be "auto" or "yes" or "no".')

    def test_a_text_is_a_list_of_one(self):
        hook = "blocks.*.attn.hook_pattern"
        self.assertEqual(
            self.model.run("the cat", hooks=hook).keys(), self.model.run("the cat", hooks=[hook]).keys()
        )
        self.assertEqual(
            self.model.similarity("the cat").to_csv(), self.model.similarity(["the cat"]).to_csv()
        )

    def test_edits_give_real_numbers(self):
        for returned in (1j * np.ones((2, 4, 16)), np.full((2, 4, 16), "a"), np.full((2, 4, 16), None)):
            self.assert_refused(
                self.model.run, "the cat", edits={"blocks.0.attn.hook_z": lambda z, name: returned}
            )
        z = self.model.run("the cat", hooks="blocks.0.attn.hook_z")["blocks.0.attn.hook_z"]
        self.assert_refused(
            self.model.run, "the cat", edits={"blocks.0.attn.hook_z": lambda _, name: z + 0j}
        )

    def test_no_text_has_no_tokens(self):
        self.assertEqual(self.model.ids("", bos="no"), [])
        self.assertEqual(self.model.tokens("", bos="no"), [])

    def test_a_path_may_be_no_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "\udcff.csv"
            self.model.lens("the cat").write(path)
            self.assertTrue(path.exists())
            self.assert_refused(self.model.lens("the cat").write, f"{folder}/a\0.csv")

    def test_a_thread_that_works_when_python_ends(self):
        program = (
            "import headscope, sys, threading, time\n"
            "model = headscope.open(sys.argv[1])\n"
            "begun = threading.Event()\n"
            "def tell(fraction, stage):\n"
            "    begun.set()\n"
            "def work():\n"
            "    while True:\n"
            "        {}\n"
            "for _ in range(3):\n"
            "    threading.Thread(target=work, daemon=True).start()\n"
            "begun.wait()\n"
            "time.sleep(0.2)\n"
        )
        for call in (
            "model.heads(sequences=10_000, period=100, progress=tell)",
            "model.heads(sequences=1, progress=tell)",
            "model.run('the cat', edits={'*hook_z': lambda z, name: begun.set()})",
        ):
            with self.subTest(call=call):
                ended = subprocess.run(
                    [sys.executable, "-B", "-c", program.format(call), sample_path("attn-only-2l")],
                    capture_output=True,
                    text=True,
                )
                self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_a_small_stack(self):
        program = "import headscope, sys; headscope.open(sys.argv[1]).run('the cat')"
        command = [sys.executable, "-B", "-c", program, sample_path("attn-only-2l")]

        def end_with(limit: str) -> subprocess.CompletedProcess[str]:
            shell = ["sh", "-c", limit + '; exec "$0" "$@"', *command]
            return subprocess.run(shell, capture_output=True, text=True)

        refused = end_with("ulimit -s 512")  # with much less Python itself ends
        self.assertEqual(refused.returncode, 1, refused.stderr)
        self.assertIn("ImportError: This session allows a stack of 524 kB", refused.stderr)
        # More is allowed and taken.
        taken = end_with("ulimit -S -s 512")
        self.assertEqual((taken.returncode, taken.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
