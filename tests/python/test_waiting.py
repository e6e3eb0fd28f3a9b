"""What happens while core computes."""

import os
import signal
import subprocess
import sys
import threading
import types
import unittest

import headscope
from support import PROMPT, sample, sample_path

# Each takes minutes unless it is stopped.
LONG = (
    "heads(sequences=10_000, period=100, {})",
    "sweep(LINE, heads='all', ablation='resample', others=[LINE], method='exact', {}) and forever({})",
    "patch(LINE, LINE, hook='z', by=['position', 'head'], {}) and forever({})",
    "patch(LINE, LINE, path=('all', 'logits'), {}) and forever({})",
    "edges(LINE, LINE, top=100_000, exact=True, {})",
    "edges(LINE, LINE, circuits=True, sizes=range(100_000), {})",
    "token_dependence(LINE, methods=['integrated'], steps=10_000, {})",
    "prune('ablation', points=1_000, {})",
    "save_pruned('/nowhere/model.h5', order='greedy', remove='99%', {})",
    "group_queries(test_tokens=1_000_000, {}) and forever({})",
)
PROGRAM = """
import headscope, sys
model = headscope.open(sys.argv[1])
LINE = model.ids("the cat sat on the mat and ") * 20
def tell(fraction, stage):
    print(stage, flush=True)
def forever(progress):
    while True:
        model.heads(sequences=100, progress=progress)
model."""


class TestWaiting(unittest.TestCase):
    def test_progress_is_told(self):
        told = []
        sample("attn-only-2l").heads(
            sequences=3, progress=lambda fraction, stage: told.append((fraction, stage))
        )
        fractions = [fraction for fraction, _ in told]
        self.assertGreater(len(told), 2)
        self.assertEqual(fractions, sorted(fractions))
        self.assertTrue(all(stage for _, stage in told))

    def test_what_progress_raises_stops_the_work(self):
        calls = []

        def refuse(fraction, stage):
            calls.append(fraction)
            raise OverflowError("enough")

        with self.assertRaisesRegex(OverflowError, "enough"):
            sample("attn-only-2l").heads(sequences=10_000, progress=refuse)
        self.assertEqual(len(calls), 1)

    def test_control_c_stops_the_work(self):
        for call in LONG:
            with self.subTest(call=call):
                self.assert_stopped(PROGRAM + call.format(*["progress=tell"] * 2))

    def assert_stopped(self, program: str) -> None:
        with subprocess.Popen(
            [sys.executable, "-B", "-c", program, sample_path("gpt2-mini-6l")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ,
        ) as process:
            self.assertTrue(process.stdout.readline(), process.stderr)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate()
        self.assertTrue(errors.rstrip().endswith("KeyboardInterrupt"), errors)

    def test_a_bar_is_drawn_and_closed(self):
        tqdm = sys.modules.pop("tqdm", None)
        self.addCleanup(lambda: tqdm and sys.modules.update(tqdm=tqdm))
        bars = []

        class Bar:
            n = 0.0
            closed = False

            def __init__(self, **keywords):
                bars.append(self)
                self.stages = []

            def set_description_str(self, stage, refresh):
                self.stages.append(stage)

            def update(self, more):
                self.n += more

            def close(self):
                self.closed = True

        sys.modules["tqdm"] = types.SimpleNamespace(tqdm=Bar, __spec__=object())
        self.addCleanup(lambda: sys.modules.pop("tqdm"))
        model = sample("attn-only-2l")
        model.heads(sequences=2, progress=True)
        self.assertTrue(bars[0].closed)
        self.assertEqual(bars[0].n, 1.0)
        self.assertTrue(all(bars[0].stages))
        model.heads(sequences=2, progress=False)
        model.heads(sequences=2)  # no notebook
        self.assertEqual(len(bars), 1)
        with self.assertRaises(headscope.Error):
            model.prune("love", progress=True)
        self.assertTrue(bars[1].closed)
        shell = types.SimpleNamespace(kernel=object())
        sys.modules["IPython"] = types.SimpleNamespace(get_ipython=lambda: shell)
        self.addCleanup(lambda: sys.modules.pop("IPython"))
        model.heads(sequences=2)
        self.assertTrue(bars[2].closed)

    def test_other_threads_run_meanwhile(self):
        model = sample("attn-only-2l")
        runs = []

        def work():
            runs.append(model.heads(sequences=3).to_csv())

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        turns = 0
        while any(thread.is_alive() for thread in threads):
            turns += 1
        for thread in threads:
            thread.join()
        self.assertGreater(turns, 0)
        self.assertEqual(runs[0], runs[1])

    def test_edits_of_several_threads_do_not_meet(self):
        model = sample("attn-only-2l")
        whole = model.run(PROMPT).logits

        def zero(z, name):
            z.fill(0)

        results = {}

        def work(name, edits):
            results[name] = model.run(PROMPT, edits=edits).logits

        threads = [
            threading.Thread(target=work, args=("edited", {"*hook_z": zero})),
            threading.Thread(target=work, args=("whole", {})),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue((results["whole"] == whole).all())
        self.assertFalse((results["edited"] == whole).all())


if __name__ == "__main__":
    unittest.main()
