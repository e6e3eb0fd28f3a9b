"""Small sentencepiece models with what the library makes of some texts.

Needs sentencepiece (0.2 made the files here), protobuf, and what make_families.py needs.
    python make_sentencepiece.py FOLDER
"""

import io
import json
import sys

import sentencepiece

from make_families import CORPUS, TEXTS

MODELS = {
    # Llama: bytes for what the model does not know, spaces as they are.
    "sentencepiece_bpe": dict(
        model_type="bpe", vocab_size=600, byte_fallback=True, normalization_rule_name="identity",
        remove_extra_whitespaces=False, user_defined_symbols=["\n", "\n\n", "<mask>"]),
    # T5, XLM-R: an unknown piece, the normalization of sentencepiece.
    "sentencepiece_unigram": dict(
        model_type="unigram", vocab_size=240, normalization_rule_name="nmt_nfkc", character_coverage=0.98,
        bos_id=-1, pad_id=0, eos_id=1, unk_id=2),
}


def train(options):
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS), model_writer=out, num_threads=1, minloglevel=2, hard_vocab_limit=False, **options)
    return out.getvalue()


def is_byte(piece):
    return piece.startswith("<0x") and len(piece) == 6


def row(processor, text):
    pieces = list(processor.encode(text, out_type="proto").pieces)
    characters = lambda n_bytes: len(text.encode()[:n_bytes].decode())
    offsets = [[characters(p.begin), characters(p.end)] for p in pieces]
    for i in reversed(range(len(pieces) - 1)):  # the bytes of one character share its range
        if offsets[i][0] == offsets[i][1] and is_byte(pieces[i].piece) and is_byte(pieces[i + 1].piece):
            offsets[i] = offsets[i + 1]
    return dict(text=text, ids=[p.id for p in pieces], tokens=[p.piece for p in pieces], offsets=offsets,
                decoded=processor.decode([p.id for p in pieces]))


def main(folder):
    for name, options in MODELS.items():
        model = train(options)
        with open(f"{folder}/{name}.model", "wb") as file:
            file.write(model)
        processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        vectors = [row(processor, text) for text in TEXTS if not text.startswith("<s>")]
        with open(f"{folder}/{name}.vectors.json", "w", encoding="utf-8") as file:
            json.dump(dict(made_with=f"sentencepiece {sentencepiece.__version__}", vectors=vectors), file)


if __name__ == "__main__":
    main(sys.argv[1])
