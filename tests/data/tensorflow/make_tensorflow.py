"""Writes tf_model.h5 files with Hugging Face's own TensorFlow classes.

Each model gets the weights of a fixture in ../fixtures and answers to that fixture's reference.
Needs transformers 4.46, tensorflow 2.17, tf-keras, safetensors, h5py.
Usage: make_tensorflow.py [FOLDER OF FIXTURES]
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import h5py
import transformers
from safetensors.numpy import save_file

HERE = Path(__file__).parent
FIXTURES = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent / "fixtures"

CLASSES = {
    "gpt2-scale-by-layer": transformers.TFGPT2LMHeadModel,
    "bert": transformers.TFBertForMaskedLM,
    "distilbert": transformers.TFDistilBertForMaskedLM,
    "roberta": transformers.TFRobertaForMaskedLM,
    "opt": transformers.TFOPTForCausalLM,
    "mistral-window": transformers.TFMistralForCausalLM,
}


def load(name):
    """The TensorFlow twin of a fixture; transformers itself translates its weights."""
    tensors = {}

    def collect(path, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind == "f":
            tensors[path.replace("/", ".")] = item[()]

    with tempfile.TemporaryDirectory() as folder, h5py.File(FIXTURES / f"{name}.h5") as file:
        file.visititems(collect)
        save_file(tensors, f"{folder}/model.safetensors", {"format": "pt"})
        Path(folder, "config.json").write_text(file.attrs["config"])
        model = CLASSES[name].from_pretrained(folder)
        return model, file.attrs["config"]


def save(model, config, folder, **options):
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder, **options)
    (folder / "generation_config.json").unlink(missing_ok=True)
    # The config of the fixture, since transformers 4.46 does not know all keys of version 5.
    (folder / "config.json").write_text(config)


for name in CLASSES:
    model, config = load(name)
    save(model, config, HERE / name)
    if name == "gpt2-scale-by-layer":
        save(model, config, HERE / "gpt2-scale-by-layer-sharded", max_shard_size="100KB")
