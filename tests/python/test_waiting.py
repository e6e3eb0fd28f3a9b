"""What happens while core computes."""

import os
import signal
import subprocess
import sys
import threading
import unittest

from support import PROMPT, sample, sample_path

# Takes minutes unless it is stopped.
LONG = """
import headscope, sys
model = headscope.open(sys.argv[1])
def tell(fraction, stage):
    print(stage, flush=True)
model.heads(sequences=10_000, period=100, progress=tell)
"""


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
        with subprocess.Popen(
            [sys.executable, "-B", "-c", LONG, sample_path("gpt2-mini-6l")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ,
        ) as process:
            self.assertTrue(process.stdout.readline())
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate()
        self.assertTrue(errors.rstrip().endswith("KeyboardInterrupt"), errors)

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
