"""The files that mutants are made of: one or more of every kind that a user opens."""

import hashlib
import io
import json
import pickle
import zipfile


class Seed:
    """Bytes to mutate, which lie in a folder as `name`, and the files that they work among there."""

    def __init__(self, file, beside=(), opened=None, name=None, content=None):
        self.name = name or file.name
        self.content = file.read_bytes() if content is None else content
        self.opened = opened or self.name  # what is asked for
        self.beside = [other if isinstance(other, tuple) else (other, other.name)
                       for other in beside]  # (file or bytes, name)

    def settle(self, folder):
        """Makes the folder, with everything but the mutant in it."""
        for place in (self.name, *(name for _, name in self.beside)):
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
        for source, name in self.beside:
            content = source if isinstance(source, bytes) else source.read_bytes()
            (folder / name).write_bytes(content)


class Kind:
    """Seeds that reliability_opener opens as `how`; `share` of 100 or so mutants are of them."""

    def __init__(self, name, share, how, seeds, sums_repaired=False, is_refused=False):
        self.name = name
        self.share = share
        self.how = how
        self.seeds = list(seeds)
        self.sums_repaired = sums_repaired
        self.is_refused = is_refused  # even without a change


def text(name, content, beside=(), opened=None):
    return Seed(None, beside, opened, name, content.encode())


def among(folder, pattern, opened=None):
    """Each file of a folder that matches, with all others of it beside."""
    for file in sorted(folder.glob(pattern)):
        yield Seed(file, [other for other in folder.iterdir() if other.is_file() and other != file],
                   opened)


def weight_files(data, corpus, samples):
    fixtures = data / "fixtures"
    yield Kind("HDF5 model", 6, "model", [
        Seed(samples / "microgpt.h5"), Seed(samples / "notebook.h5"),
        *(Seed(fixtures / f"{name}.h5") for name in ("llama-gqa", "bert", "hooked-plain"))])
    yield Kind("HDF5 of Keras and TensorFlow", 4, "model", [
        Seed(data / "keras/pre-legacy.h5"), *among(data / "keras/gemma", "*.h5"),
        *among(data / "tensorflow/bert", "*.h5"),
        *among(data / "weight_files/tf-sharded", "*.h5", "tf_model.h5.index.json")])
    yield Kind("HDF5 tensors", 3, "tensors", map(Seed, sorted((corpus / "hdf5").glob("*.h5"))))
    yield Kind("HDF5, checksums repaired", 4, "model",
               [Seed(corpus / "hdf5/model-v110.h5")], sums_repaired=True)
    yield Kind("HDF5 tensors, checksums repaired", 2, "tensors",
               [Seed(corpus / f"hdf5/{name}.h5") for name in ("v108", "v110")],
               sums_repaired=True)
    yield Kind(".keras", 2, "model", [Seed(data / "keras/odd.keras")])
    yield Kind(".keras tensors", 2, "tensors", map(Seed, sorted((corpus / "keras_zip").glob("*"))))
    yield Kind("safetensors", 10, "model", [
        *among(data / "weight_files/llama-bf16", "*.safetensors"),
        *among(data / "weight_files/gpt2-sharded", "*.safetensors", "model.safetensors.index.json"),
        Seed(fixtures / "hooked-plain.safetensors")])
    yield Kind("GGUF", 10, "model", [
        Seed(data / f"gguf/{name}.gguf") for name in
        ("llama", "gpt2", "bert", "gemma2", "phi3", "qwen2moe", "starcoder2", "falcon", "yarn")])
    parts = sorted((data / "gguf").glob("mistral-*-of-*.gguf"))
    yield Kind("GGUF in parts", 6, "model", [
        Seed(part, [other for other in parts if other != part], parts[0].name) for part in parts])
    yield Kind("GGUF tensors", 5, "tensors", [Seed(data / "gguf/types.gguf"),
                                              *map(Seed, sorted((corpus / "gguf").glob("*")))])
    yield Kind("pickles", 4, "model", pickles(), is_refused=True)


def pickles():
    weights = {"w": [1.0, 2.0], "name": "model"}
    for protocol in range(2, 6):
        yield Seed(None, name="model.bin", content=pickle.dumps(weights, protocol))
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as members:
        members.writestr("archive/data.pkl", pickle.dumps(weights, 2))
        members.writestr("archive/data/0", bytes(64))
    yield Seed(None, name="pytorch_model.bin", content=archive.getvalue())


def configs(data):
    llama = data / "weight_files/llama-bf16"
    sharded = data / "weight_files/gpt2-sharded"
    yield Kind("config.json", 8, "model", [
        *among(llama, "config.json", "model.safetensors"),
        *among(sharded, "config.json", "model.safetensors.index.json")])
    yield Kind("index of shards", 5, "model", [
        *among(sharded, "*.index.json"), *among(data / "weight_files/tf-sharded", "*.index.json")])


def tokenizers(data, corpus):
    folder = data / "tokenizers"
    weights = data / "weight_files/llama-bf16/model.safetensors"

    def beside(name, content, *others):
        return Seed(None, [weights, *others], weights.name, name, content)

    yield Kind("tokenizer.json", 8, "tokenizer", [
        beside("tokenizer.json", file.read_bytes())
        for file in [*sorted((corpus / "tokenizer_json").glob("*.json")),
                     *(folder / f"{name}.tokenizer.json"
                       for name in ("gpt2", "llama3", "bert_uncased", "albert", "unigram"))]])
    yield Kind("sentencepiece", 6, "tokenizer", [
        beside("tokenizer.model", file.read_bytes())
        for file in [*folder.glob("*.model"), *(corpus / "sentencepiece").glob("*.model")]])
    yield Kind("tokenizer in a GGUF", 4, "gguf-tokenizer",
               map(Seed, sorted((data / "gguf").glob("tokenizer-*.gguf"))))
    yield Kind("lists of words", 5, "tokenizer", word_lists(folder, beside))
    settings = json.dumps({"add_bos_token": True, "bos_token": {"content": "<s>"},
                           "tokenizer_class": "LlamaTokenizer", "model_max_length": 8,
                           "added_tokens_decoder": {"1": {"content": "<s>", "special": True}}})
    tokenizer = folder / "llama2.tokenizer.json"
    yield Kind("settings of tokenizers", 3, "tokenizer", [
        beside(name, settings.encode(), (tokenizer, "tokenizer.json"))
        for name in ("tokenizer_config.json", "special_tokens_map.json")])


def word_lists(folder, beside):
    """vocab.txt, and vocab.json with merges.txt, of which one is mutated."""
    bert = json.loads((folder / "bert_plain.tokenizer.json").read_text())["model"]["vocab"]
    yield beside("vocab.txt", "\n".join(sorted(bert, key=bert.get)).encode())
    model = json.loads((folder / "gpt2.tokenizer.json").read_text())["model"]
    pairs = [pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"]]
    vocabulary = json.dumps(model["vocab"]).encode()
    merges = "\n".join(["#version: 0.2", *pairs]).encode()
    yield beside("vocab.json", vocabulary, (merges, "merges.txt"))
    yield beside("merges.txt", merges, (vocabulary, "vocab.json"))


PROJECT = {
    "headscope_project": 1, "prompt": "a", "bos": "auto", "second_prompt": None,
    "model": {"path": "model.h5", "name": "model", "sha256": "0" * 64, "square_matrices": None},
    "earlier_prompts": ["b", "c"], "ablation": {"kind": "zero", "heads": [[0, 1], [1, 0]]},
    "thresholds": {"induction": 0.5}, "selected": [0, 1], "chosen": [[0, 0]], "locked_row": 2,
    "notes": [{"head": [0, 1], "text": "copies", "bookmarked": True}], "view": {"map": "viridis"}}
RECIPE = {
    "calibration": {"hash": "0" * 64, "length": 32, "name": "calibration.txt", "seed": 0,
                    "tokens": 512},
    "compensation": "ridge", "format": "headscope-recipe", "heads": [[0, 3], [0, 1]],
    "order": "gradient", "version": 1}


def own_files(campaign, corpus):
    """What Headscope itself writes or is asked with."""
    root = campaign.root
    microgpt = root / "sample_models/microgpt.h5"
    made = campaign.scratch / "made"
    made.mkdir()
    yield Kind("project", 4, "project", [text("work.headscope", json.dumps(PROJECT, indent=1))])
    yield Kind("set of prompts", 4, "prompts", [
        text("prompts.txt", "anna\nemma\n\nmaria\n"),
        text("prompts.jsonl", '{"prompt": "anna"}\n{"text": "em\\u006da", "id": 3}\n')])
    yield Kind("CoNLL-U", 3, "conllu", map(Seed, sorted((corpus / "conllu").glob("*"))))
    cut = {"name": "microgpt", "sha256": hashlib.sha256(microgpt.read_bytes()).hexdigest()}
    yield Kind("recipe", 2, "recipe", [
        text("small.recipe.json", json.dumps({**RECIPE, "model": cut}))])
    yield Kind("list of heads", 1, "heads", [text("heads.txt", "0.1, 0.0\n0.3,0.2\n")])
    plan = made / "plan.json"
    campaign.run(["sweep", "plan", microgpt, "--ids", "1,2,3", "-o", plan])
    yield Kind("plan", 2, "plan", map(Seed, [plan]))
    headvis = made / "headvis"
    campaign.run(["heads", microgpt, "--headvis", headvis])
    heads = sorted((headvis / "heads").glob("*.json"))
    yield Kind("HeadVis folder", 2, "headvis", [
        Seed(headvis / "config.json", [(head, f"heads/{head.name}") for head in heads]),
        Seed(heads[0], [headvis / "config.json", *((head, f"heads/{head.name}")
                                                   for head in heads[1:])],
             "config.json", f"heads/{heads[0].name}")])


def all_kinds(campaign):
    data = campaign.root / "tests/data"
    corpus = campaign.root / "tests/fuzz/corpus"
    yield from weight_files(data, corpus, campaign.root / "sample_models")
    yield from configs(data)
    yield from tokenizers(data, corpus)
    yield from own_files(campaign, corpus)
