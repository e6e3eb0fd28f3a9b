"""An OpenBLAS that is older than the processor."""

import os
import subprocess
import sys
import unittest


def words_of_import(**variables: str) -> str:
    """What Python says on stderr when OpenBLAS answers as if it did not know the processor."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    environment |= {"LD_PRELOAD": os.environ["HEADSCOPE_OLD_BLAS"]} | variables
    done = subprocess.run(
        [sys.executable, "-c", "import headscope"], env=environment, capture_output=True, text=True, check=True
    )
    return done.stderr


class OldBlas(unittest.TestCase):
    def test_is_told_about(self) -> None:
        with open("/proc/cpuinfo") as file:
            words = file.read().split()
        self.assertEqual("OPENBLAS_CORETYPE=" in words_of_import(), {"avx2", "fma", "f16c"} <= set(words))

    def test_is_believed_where_it_was_told(self) -> None:
        self.assertEqual(words_of_import(OPENBLAS_CORETYPE="Haswell"), "")


if __name__ == "__main__":
    unittest.main()
