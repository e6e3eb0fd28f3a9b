"""offsets.json: texts whose tokens Hugging Face tokenizers gives letters of others, or none: after a
special token with add_prefix_space, and a lone "▁" before a word without one. For each text ids,
tokens, and `offsets` as tokenizers has them; `letters` are, by hand, what each token is of.

Needs tokenizers. Run: python make_offsets.py, in this folder.
"""
import json
import tokenizers

ADDED = dict(single_word=False, lstrip=False, rstrip=False, normalized=False, special=True)


def prefixed():
    """gpt2.tokenizer.json with a space before each part of a text, and trimmed offsets."""
    with open("gpt2.tokenizer.json", encoding="utf-8") as file:
        content = json.load(file)
    size = max([*content["model"]["vocab"].values()] + [t["id"] for t in content["added_tokens"]]) + 1
    content["added_tokens"] += [dict(ADDED, id=size, content="<dev>"),
                                dict(ADDED, id=size + 1, content="</dev>")]
    content["pre_tokenizer"] = {"type": "ByteLevel", "add_prefix_space": True,
                                "trim_offsets": True, "use_regex": True}
    content["post_processor"] = {"type": "ByteLevel", "add_prefix_space": True,
                                 "trim_offsets": True, "use_regex": True}
    return {key: content[key] for key in ("added_tokens", "pre_tokenizer", "post_processor")}


def unigram():
    vocabulary = [["<unk>", 0.0], ["▁", -3.0], ["中文", -2.0], ["▁hello", -1.0], ["中", -5.0],
                  ["文", -5.0], ["a", -4.0], ["!", -4.0], ["<s>", 0.0]]
    space = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    return {"version": "1.0", "truncation": None, "padding": None,
            "added_tokens": [dict(ADDED, id=0, content="<unk>"), dict(ADDED, id=8, content="<s>")],
            "normalizer": None, "pre_tokenizer": space, "post_processor": None, "decoder": space,
            "model": {"type": "Unigram", "unk_id": 0, "vocab": vocabulary, "byte_fallback": False}}


FILES = [
    {"name": "add_prefix_space", "base": "gpt2", "changes": prefixed(), "texts": [
        ["<dev>BMS</dev>", ["<dev>", "B", "M", "S", "</dev>"]],
        [" the the", [" the", "the"]],
        ["<dev> BMS", ["<dev>", "B", "M", "S"]],
        ["the<dev>the the</dev>the", ["the", "<dev>", "the", "the", "</dev>", "the"]]]},
    {"name": "metaspace", "changes": unigram(), "texts": [
        ["中文", ["", "中文"]],
        ["hello中文!", ["hello", "中文", "!"]],
        ["a 中文", ["", "a", " ", "中文"]],
        ["<s>中文<s>a", ["<s>", "", "中文", "<s>", "", "a"]]]},
]
for file in FILES:
    content = dict(file["changes"])
    if "base" in file:
        with open(f"{file['base']}.tokenizer.json", encoding="utf-8") as base:
            content = {**json.load(base), **content}
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(content))
    texts = []
    for text, letters in file["texts"]:
        encoding = tokenizer.encode(text, add_special_tokens=False)
        texts.append({"text": text, "ids": encoding.ids, "tokens": encoding.tokens,
                      "offsets": encoding.offsets, "letters": letters})
    file["texts"] = texts
with open("offsets.json", "w", encoding="utf-8") as file:
    json.dump({"made_with": f"tokenizers {tokenizers.__version__}", "files": FILES}, file,
              ensure_ascii=False, indent=1)
