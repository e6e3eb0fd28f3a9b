"""Small tokenizers of families whose parts the other files here do not show, with vectors; and variants
of the gpt2 file, which are added to variants.json.

Needs tokenizers (0.23 made the files here), sentencepiece (0.2) and protobuf.
    python make_families.py FOLDER
"""

import base64
import io
import json
import sys

import sentencepiece
import tokenizers
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = [
    "The cat sat on the mat and looked at the small dog. It's a fine day, isn't it?",
    "Le café près de l'hôtel était fermé; naïve Gäste tranken heißen Kaffee.",
    "Привет мир, как дела? Мир большой и старый.",
    "你好，世界。我们今天去学校。",
    "When Mary and John went to the store, John gave a drink to Mary.",
    "Numbers such as 12, 345 and 6789 are words, too; so are foo_bar and C++.",
] * 8

TEXTS = [
    "", " ", "  ", "Hello world", "  The  cat   sat ", "The cat sat on the mat.", "It's fine, isn't it? DON'T!",
    "café cafe\u0301 ÉTÉ naïve Gäste heißen", "İstanbul ŞĞ", "Привет, мир!", "你好，世界 abc我def", "こんにちは ｶﾅ ﾊﾞ", "한국어 각",
    "ﬁne ｆｕｌｌ ½ Ⅷ ™ ㍿", "a\u0300\u0301b \u0301x", "x\u00a0y\u3000z", "x\u200by\u200dz\ufeff", "\u0000a\u0001b\ufffdc\u00ad", "\r\n a\tb\nc",
    "👩‍👩‍👧 🇩🇪 🙂", "e\u0301\u0323\u0330", "<s> text </s><unk> <mask>", "[CLS] a [MASK] b[SEP]", "a<mask>b  <mask>  c",
    "under▁score ▁▁ x▁", "12 3456.78 C++ a_b-c", "हिन्दी भाषा", "q" * 120, "\u1e9b\u0323 \u212b \u03a9\u03c2", "do not  's 've . , ! end",
]

RULES = {  # of the charsmap: full width, ligatures, compositions, what is dropped
    "ﬁ": "fi", "½": "1⁄2", "™": "TM", "㍿": "株式会社", "\u3000": " ", "\u00a0": " ", "\u200b": "", "\ufeff": "", "\u0001": "", "\t": " ",
    "\n": " ", "\r": " ", "e\u0301": "é", "a\u0300": "à", "a\u0300\u0301": "á", "Ⅷ": "VIII", "ﾊ\uff9e": "バ", "ﾊ": "ハ", "ｶ": "カ", "ﾅ": "ナ", "\u1112\u1161": "하",
    **{chr(c): chr(c - 0xFEE0) for c in range(0xFF01, 0xFF5F)},
}


def sentencepiece_model():
    with open("/tmp/rules.tsv", "w", encoding="utf-8") as file:
        for before, after in RULES.items():
            codes = lambda text: " ".join(f"{ord(c):X}" for c in text)
            file.write(f"{codes(before)}\t{codes(after)}\n")
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS), model_writer=out, vocab_size=240, model_type="unigram",
        normalization_rule_tsv="/tmp/rules.tsv", character_coverage=0.98, num_threads=1, minloglevel=2,
        hard_vocab_limit=False)
    return out.getvalue()


def charsmap(model):
    from sentencepiece import sentencepiece_model_pb2 as pb
    proto = pb.ModelProto()
    proto.ParseFromString(model)
    return proto.normalizer_spec.precompiled_charsmap, [(p.piece, p.score) for p in proto.pieces]


def t5(charsmap, pieces):
    """T5, ALBERT: Unigram with a precompiled normalizer."""
    tokenizer = Tokenizer(models.Unigram([("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *pieces[3:]], 2))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Precompiled(charsmap), normalizers.Replace(Regex(" {2,}"), "▁")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    tokenizer.add_special_tokens(["<pad>", "</s>", "<unk>"])
    return tokenizer


def albert(charsmap, pieces):
    tokenizer = t5(charsmap, pieces)
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.Replace("``", '"'), normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase(),
        normalizers.Precompiled(charsmap), normalizers.Strip(left=False, right=True)])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    return tokenizer


def xlm_roberta(charsmap, pieces):
    vocabulary = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *pieces[3:], ("<mask>", 0.0)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, 3))
    tokenizer.normalizer = normalizers.Precompiled(charsmap)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>"])
    tokenizer.add_special_tokens([tokenizers.AddedToken("<mask>", lstrip=True, normalized=False)])
    return tokenizer


def byte_unigram(charsmap, pieces):
    """Unigram with byte_fallback, spaces never prepended and words not split."""
    known = [(f"<0x{b:02X}>", -20.0) for b in range(256)]
    tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0), *known, *pieces[3:]], 0, True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never", split=False)
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return tokenizer


def bert(**options):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(**options)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(cleanup=options["lowercase"])
    tokenizer.train_from_iterator(CORPUS, trainers.WordPieceTrainer(
        vocab_size=260, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], show_progress=False))
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def clip():
    """Lower case, words that end in </w>."""
    words = r"""<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"""
    tokenizer = Tokenizer(models.BPE(end_of_word_suffix="</w>", continuing_subword_prefix="", unk_token="<|endoftext|>"))
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(words), "removed", invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.BPEDecoder("</w>")
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=700, special_tokens=["<|startoftext|>", "<|endoftext|>"], end_of_word_suffix="</w>",
        initial_alphabet=alphabet, show_progress=False))
    tokenizer.post_processor = processors.RobertaProcessing(
        ("<|endoftext|>", 1), ("<|startoftext|>", 0), trim_offsets=False, add_prefix_space=False)
    return tokenizer


VARIANTS = {"Nmt": dict(normalizer=dict(type="Nmt"))}
NMT_TEXTS = ["", "a\tb\nc\u000cd\re", "x\u200by\u200fz \ufeffw\ufffd", "\u0001a\u0008b\u000bc\u000e\u001fd\u007fe\u008ff\u009fg",
             "\u1680o\u2028p\u2029 ▁q", "a\u00a0b\u3000c\u0085d\u0000e", "Hello world café 中文 🙂"]


def add_variants(folder):
    with open(f"{folder}/variants.json", encoding="utf-8") as file:
        known = json.load(file)
    with open(f"{folder}/{known['base']}", encoding="utf-8") as file:
        base = json.load(file)
    known["variants"] = [variant for variant in known["variants"] if variant["name"] not in VARIANTS]
    for name, changes in VARIANTS.items():
        tokenizer = Tokenizer.from_str(json.dumps({**base, **changes}))
        known["variants"].append(dict(name=name, changes=changes, vectors=list(rows(tokenizer, NMT_TEXTS))))
    with open(f"{folder}/variants.json", "w", encoding="utf-8") as file:
        lines = ",\n".join(json.dumps(variant, ensure_ascii=False) for variant in known["variants"])
        file.write(f'{{"made_with": {json.dumps(known["made_with"])}, "base": {json.dumps(known["base"])}, "variants": [\n{lines}\n]}}\n')


def rows(tokenizer, texts=TEXTS):
    for text in texts:
        encoding = tokenizer.encode(text)
        yield dict(
            text=text, ids=encoding.ids, ids_without_specials=tokenizer.encode(text, add_special_tokens=False).ids,
            tokens=encoding.tokens, offsets=[list(o) for o in encoding.offsets], decoded=tokenizer.decode(encoding.ids),
            decoded_keep_specials=tokenizer.decode(encoding.ids, skip_special_tokens=False))


def main(folder):
    map_and_pieces = charsmap(sentencepiece_model())
    families = dict(
        t5=t5(*map_and_pieces), albert=albert(*map_and_pieces), xlm_roberta=xlm_roberta(*map_and_pieces),
        byte_unigram=byte_unigram(*map_and_pieces), clip=clip(),
        bert_chinese=bert(clean_text=True, handle_chinese_chars=True, strip_accents=False, lowercase=True),
        bert_plain=bert(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False))
    for name, tokenizer in families.items():
        with open(f"{folder}/{name}.tokenizer.json", "w", encoding="utf-8") as file:
            file.write(tokenizer.to_str())
        tokenizer = Tokenizer.from_file(f"{folder}/{name}.tokenizer.json")
        with open(f"{folder}/{name}.vectors.json", "w", encoding="utf-8") as file:
            json.dump(dict(made_with=f"tokenizers {tokenizers.__version__}", vectors=list(rows(tokenizer))), file)
    add_variants(folder)


if __name__ == "__main__":
    main(sys.argv[1])
