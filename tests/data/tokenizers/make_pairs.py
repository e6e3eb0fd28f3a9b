"""pairs.json: what Hugging Face tokenizers makes of two texts, by tokenizers of this folder and by
that of a RoBERTa, which is made here of one of them: ids and type_ids.

Needs tokenizers. Run: python make_pairs.py, in this folder.
"""
import json
import tokenizers

PAIRS = [["the cat sat", "a dog ran"], ["Hello, world!", "naïve café"], ["", "the"], ["the", ""]]


def encoded(tokenizer):
    for first, second in PAIRS:
        encoding = tokenizer.encode(first, second)
        yield {"first": first, "second": second, "ids": encoding.ids, "segments": encoding.type_ids}


def roberta():
    with open("gpt2.tokenizer.json", encoding="utf-8") as file:
        content = json.load(file)
    end = next(token["id"] for token in content["added_tokens"] if token["special"])
    token = next(token["content"] for token in content["added_tokens"] if token["special"])
    content["post_processor"] = {"type": "RobertaProcessing", "sep": [token, end],
                                 "cls": [token, end], "trim_offsets": True,
                                 "add_prefix_space": False}
    return content


families = {}
for name in ["bert_cased", "bert_uncased", "bert_chinese", "bert_plain", "llama2"]:
    with open(f"{name}.tokenizer.json", encoding="utf-8") as file:
        families[name] = json.load(file)
families["roberta"] = roberta()
result = []
for name, content in families.items():
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(content))
    entry = {"name": name, "pairs": list(encoded(tokenizer))}
    if name == "roberta":
        entry["base"] = "gpt2"
        entry["changes"] = {"post_processor": content["post_processor"]}
    result.append(entry)
with open("pairs.json", "w", encoding="utf-8") as file:
    json.dump({"made_with": f"tokenizers {tokenizers.__version__}", "families": result}, file,
              ensure_ascii=False, indent=1)
