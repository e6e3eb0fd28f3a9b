"""Figures are what the window draws; models and runs show themselves in a notebook."""

import base64
import re
import struct
import tempfile
import unittest
import zlib
from pathlib import Path
from xml.etree import ElementTree

import headscope
import numpy as np
from support import PROMPT, fixture_path, sample

SVG = "{http://www.w3.org/2000/svg}"


def cells_of(svg: str) -> dict[tuple[int, int], tuple[str, str]]:
    """What each cell says and its colour, by query and key."""
    cells = {}
    for rect in ElementTree.fromstring(svg).iter(f"{SVG}rect"):
        title = rect.find(f"{SVG}title")
        if title is not None:
            query, key, weight = re.fullmatch(
                r"‹.*› (\d+) → ‹.*› (\d+): ([\d.]+)", title.text, re.DOTALL
            ).groups()
            cells[int(query), int(key)] = (weight, rect.get("fill"))
    return cells


def texts_of(svg: str) -> list[str]:
    return [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


class TestFigures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = sample("gpt2-mini-6l")
        cls.run_ = cls.model.run(PROMPT, hooks=["blocks.4.attn.hook_pattern"])

    def test_cells_are_the_pattern(self):
        figure = self.model.show(self.run_, head=(4, 1), first_key="shown")
        cells = cells_of(figure.svg)
        pattern = self.run_["blocks.4.attn.hook_pattern"][1]
        n = len(self.run_.ids)
        self.assertEqual(set(cells), {(q, k) for q in range(n) for k in range(q + 1)})
        for (query, key), (weight, colour) in cells.items():
            self.assertAlmostEqual(float(weight), pattern[query, key], delta=0.00051)
        # matplotlib's viridis at 1, where the first token can look at itself only
        self.assertEqual(cells[0, 0][1], "#fde725")

    def test_a_learned_sink_takes_its_part(self):
        model = headscope.open(fixture_path("gpt_oss"))
        run = model.run([5, 17, 3, 22])
        texts = " ".join(texts_of(model.show(run, head=(1, 2), first_key="shown").svg))
        self.assertRegex(texts, r"key, beside a learned sink \(\d+ % of the attention\)")
        self.assertIn("grey bars: what the learned sink takes", texts)

    def test_it_says_what_it_shows(self):
        ablated = self.model.run(PROMPT, ablate=[(4, 1), (0, 2)])
        texts = texts_of(self.model.show(ablated, head=(4, 1), first_key="shown").svg)
        self.assertIn("L4 H1 · ablated (zero)", texts)
        for word in ("query", "key", "attention", "·Mary"):
            self.assertIn(word, texts)
        note = " ".join(texts)
        for word in ("gpt2-mini-6l", PROMPT[:40], "with BOS", "ablated: 0.2 4.1"):
            self.assertIn(word, note)

    def test_the_title_names_the_types(self):
        scores = self.model.heads(types=["induction", "previous"])
        title = texts_of(self.model.show(self.run_, head=(4, 1), scores=scores).svg)[0]
        self.assertRegex(title, r"^L4 H1 · induction 0\.\d\d \(baseline 0\.\d\d\)$")
        untyped = self.model.show(self.run_, head=(0, 1), scores=scores).svg
        self.assertEqual(texts_of(untyped)[0], "L0 H1 · no type")

    def test_the_first_key_is_left_out_where_it_holds_most(self):
        pattern = self.run_["blocks.4.attn.hook_pattern"]
        shares = pattern[:, 1:, 0].mean(axis=1)
        self.assertGreater(shares.max(), 0.5)
        self.assertLess(shares.min(), 0.5)
        for head, share in enumerate(shares):
            cells = cells_of(self.model.show(self.run_, head=(4, head)).svg)
            self.assertEqual((1, 0) in cells, share <= 0.5, f"4.{head}: {share}")

    def test_what_is_left_can_be_rescaled(self):
        pattern = self.run_["blocks.4.attn.hook_pattern"][1].astype(float)
        svg = self.model.show(self.run_, head=(4, 1), first_key="hidden", rescale=True).svg
        left = pattern[:, 1:] / np.maximum(pattern[:, 1:].sum(axis=1, keepdims=True), 1e-30)
        cells = cells_of(svg)
        self.assertEqual(len(cells), (len(pattern) - 1) * len(pattern) // 2)
        for (query, key), (weight, _) in cells.items():
            self.assertAlmostEqual(float(weight), left[query, key - 1], delta=0.00051)
        self.assertIn("grey bars: what the first key gets", " ".join(texts_of(svg)))

    def test_a_long_prompt_is_an_image(self):
        run = self.model.run([5 + i % 90 for i in range(100)], hooks=["blocks.0.attn.hook_pattern"])
        svg = self.model.show(run, head=(0, 0), first_key="shown", colours="greys").svg
        self.assertLess(len(svg), 120_000)
        image = ElementTree.fromstring(svg).find(f"{SVG}image")
        png = base64.b64decode(image.get("href").removeprefix("data:image/png;base64,"))
        width, height = struct.unpack(">II", png[16:24])
        size = len(run.ids)
        self.assertEqual((width, height), (size, size))
        length = struct.unpack(">I", png[33:37])[0]
        self.assertEqual(png[37:41], b"IDAT")
        rows = zlib.decompress(png[41 : 41 + length])
        pixels = np.frombuffer(rows, dtype=np.uint8).reshape(size, 4 * size + 1)[:, 1:]
        pixels = pixels.reshape(size, size, 4)
        pattern = run["blocks.0.attn.hook_pattern"][0]
        shown = np.tril(np.ones((size, size), dtype=bool))
        np.testing.assert_array_equal(pixels[..., 3], np.where(shown, 255, 0))
        grey = 255 - np.minimum(np.floor(pattern * 256), 255)
        self.assertLessEqual(np.abs(pixels[..., 0].astype(int) - grey)[shown].max(), 1)

    def test_tokens_cannot_break_it(self):
        run = self.model.run("a <b> & \"c\" \x01 \u202e")
        self.assertIn("‹", " ".join(texts_of(self.model.show(run, head=(0, 0)).svg)) + "‹")
        self.assertNotIn("\x01", self.model.show(run, head=(0, 0)).svg)

    def test_one_token_and_a_bidirectional_model(self):
        self.assertTrue(texts_of(self.model.show(self.model.run(""), head=(0, 0)).svg))
        model = sample("bert-mini-4l")
        cells = cells_of(model.show(model.run("the cat"), head=(0, 0), first_key="shown").svg)
        self.assertIn((0, 1), cells)

    def test_a_figure_is_written_as_it_is_shown(self):
        figure = self.model.show(self.run_, head=(4, 1))
        self.assertEqual(figure._repr_svg_(), figure.svg)
        image = ElementTree.fromstring(figure._repr_html_().replace(">", "/>"))
        data = image.get("src").removeprefix("data:image/svg+xml;base64,")
        self.assertEqual(base64.b64decode(data).decode(), figure.svg)
        self.assertRegex(image.get("alt"), "^L4 H1: gpt2-mini-6l")
        self.assertEqual(figure.svg, self.model.show(self.run_, head=(4, 1)).svg)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "figure.svg"
            figure.write(path)
            self.assertEqual(path.read_text(encoding="utf-8"), figure.svg)
            with self.assertRaisesRegex(headscope.Error, r"figure\.png.*\.svg"):
                figure.write(Path(folder) / "figure.png")

    def test_what_makes_no_sense_is_refused(self):
        with self.assertRaises(headscope.Error):
            self.model.show(self.run_, head=(9, 9))
        for keywords in ({"colours": "pink"}, {"first_key": "gone"}, {"scale": "cubic"}):
            with self.assertRaises(ValueError):
                self.model.show(self.run_, head=(4, 1), **keywords)

    def test_a_model_shows_its_card(self):
        card = self.model._repr_html_()
        for word in ("gpt2-mini-6l", "6 layers × 8 heads", "48, of 32", "BOS", self.model.sha256):
            self.assertIn(word, card)
        ElementTree.fromstring(card)


if __name__ == "__main__":
    unittest.main()
