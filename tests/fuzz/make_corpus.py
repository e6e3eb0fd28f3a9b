"""Writes the small files in corpus/ from which the fuzz targets start.

Needs: numpy, h5py, safetensors, gguf. Run in this folder.
"""
import io
import json
import struct
import zipfile
import zlib
from pathlib import Path

import gguf
import h5py
import numpy as np
from safetensors.numpy import save


def put(folder, name, content):
    Path("corpus", folder).mkdir(parents=True, exist_ok=True)
    Path("corpus", folder, name).write_bytes(content if isinstance(content, bytes) else content.encode())


def hdf5(fill, **options):
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", **options) as file:
        fill(file)
    return buffer.getvalue()


def halves(file):
    file["h/0/w"] = np.arange(4, dtype="f2")
    file["h.1.w"] = np.arange(4, dtype=">f8")
    words = file.create_dataset("b", data=np.arange(4, dtype="u2"))
    words.attrs["dtype"] = "bfloat16"
    file["text"] = "{}"


def everything(file):
    file.attrs["config"] = "{}"
    file.attrs["format"] = np.bytes_("x")
    numbers = np.arange(48, dtype="f4").reshape(8, 6)
    file["h/0/plain"] = numbers
    file.create_dataset("h/0/packed", data=numbers, chunks=(4, 3), compression="gzip", shuffle=True)
    file.create_dataset("h/0/summed", data=numbers.astype("f2"), chunks=(4, 3), fletcher32=True)
    file["h/1/big_endian"] = np.arange(5, dtype=">f8")
    file["h/1/ids"] = np.arange(5)
    file["text"] = "some text"


def sample_model(file):
    """A model that runs, its matrices in packed chunks."""
    with h5py.File("../../sample_models/microgpt.h5") as model:
        file.attrs.update(model.attrs)
        for name in ("wte", "wpe", "lm_head", *(f"layer0/{part}" for part in model["layer0"])):
            rows, columns = model[name].shape
            file.create_dataset(name, data=model[name], chunks=(rows // 2, columns // 2),
                                compression="gzip")


def conllu(*lines):
    return "\n".join("\t".join(line.split(" ")) if line[0].isdigit() else line for line in lines) + "\n\n"


for format in ("earliest", "v108", "v110"):
    put("hdf5", format + ".h5", hdf5(everything, libver=format))

put("hdf5", "model-v110.h5", hdf5(sample_model, libver="v110"))

# A text of two bytes: its length, place and number, then the heap with it.
reference = struct.pack("<IQI", 2, 0, 1)
heap = b"GCOL\1\0\0\0" + struct.pack("<QHHIQ", 64, 1, 1, 0, 2) + b"{}".ljust(32, b"\0")
put("hdf5_parts", "text", b"\0" + reference + heap)
put("hdf5_parts", "chunk", b"\1\3\1" + zlib.compress(bytes(range(256))))

tensors = {"a": np.ones((2, 3), "f4"), "b.c": np.ones(2, "f2"), "ids": np.arange(3)}
put("safetensors", "plain.safetensors", save(tensors, {"format": "np"}))
put("safetensors", "empty.safetensors", save({}))



def gguf_file(name, architecture, tensors, fill):
    Path("corpus/gguf").mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(f"corpus/gguf/{name}.gguf", architecture)
    for add, size in (("block_count", 1), ("context_length", 8), ("embedding_length", 8),
                      ("feed_forward_length", 8), ("head_count", 2)):
        getattr(writer, "add_" + add)(size)
    fill(writer)
    for key, (shape, kind) in tensors.items():
        data = gguf.quants.quantize(np.ones(shape, "f4"), gguf.GGMLQuantizationType[kind])
        writer.add_tensor(key, data, raw_dtype=gguf.GGMLQuantizationType[kind])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def sentencepiece_lists(writer):
    writer.add_head_count_kv(1)
    writer.add_tokenizer_model("llama")
    writer.add_token_list(["<unk>", "<s>", "\u2581", "a", "\u2581a"])
    writer.add_token_scores([0.0, 0.0, -1.0, -2.0, -3.0])
    writer.add_token_types([2, 3, 1, 1, 1])
    writer.add_bos_token_id(1)


def bpe_lists(writer):
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("llama-bpe")
    writer.add_token_list(["a", "b", "ab"])
    writer.add_token_merges(["a b"])


def word_lists(writer):
    writer.add_tokenizer_model("bert")
    writer.add_token_list(["[UNK]", "[CLS]", "[SEP]", "\u2581a", "b"])
    writer.add_token_types([3, 3, 3, 1, 1])


gguf_file("llama", "llama", {"token_embd.weight": ((5, 8), "F32"), "rope_freqs.weight": ((2,), "F32"),
                             "blk.0.attn_q.weight": ((8, 32), "Q4_0")}, sentencepiece_lists)
gguf_file("gptneox", "gptneox", {"blk.0.attn_qkv.weight": ((24, 8), "F16")}, bpe_lists)
gguf_file("bert", "bert", {"token_types.weight": ((2, 8), "BF16")}, word_lists)
gguf_file("gemma", "gemma2", {"output_norm.weight": ((8,), "F32"), "blk.0.attn_k.weight": ((2, 32), "Q8_0")},
          bpe_lists)

put("index_json", "plain.json",
    json.dumps({"metadata": {"total_size": 4}, "weight_map": {"a": "a.safetensors"}}))
put("index_json", "keras.json", json.dumps({"weight_map": {"/x/vars": ["a.safetensors"]}}))

for method, name in ((zipfile.ZIP_STORED, "stored"), (zipfile.ZIP_DEFLATED, "deflated")):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("config.json", "{}")
        archive.writestr("model.weights.h5", hdf5(halves))
    put("keras_zip", name + ".keras", buffer.getvalue())

llama = {"model_type": "llama", "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
         "num_key_value_heads": 1, "intermediate_size": 16, "vocab_size": 10, "rms_norm_eps": 1e-6,
         "max_position_embeddings": 16, "rope_scaling": {"type": "linear", "factor": 2.0}}
gpt2 = {"model_type": "gpt2", "n_embd": 8, "n_layer": 2, "n_head": 2, "n_positions": 16, "vocab_size": 10}
bert = {"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
        "intermediate_size": 16, "vocab_size": 10, "max_position_embeddings": 16, "type_vocab_size": 2}
for config in (llama, gpt2, bert):
    put("config_json", config["model_type"] + ".json", json.dumps(config))

put("conllu", "links.conllu", conllu(
    "# sent_id = a", "# text = Tom said: \"He ran.\"",
    "1 Tom _ PROPN _ _ 2 nsubj _ _", "2 said _ VERB _ _ 0 root _ SpaceAfter=No",
    "3 : _ PUNCT _ _ 6 punct _ _", "4 \" _ PUNCT _ _ 6 punct _ Quote=1|SpaceAfter=No",
    "5 He _ PRON _ _ 6 nsubj _ Coref=1", "6 ran _ VERB _ _ 2 ccomp _ SpaceAfter=No",
    "7 . _ PUNCT _ _ 6 punct _ SpaceAfter=No", "8 \" _ PUNCT _ _ 6 punct _ Quote=1"))
put("conllu", "ranges.conllu", conllu(
    "1 Er _ PRON _ _ 2 nsubj _ _", "2 geht _ VERB _ _ 0 root _ _", "2.1 ist _ AUX _ _ _ _ 2:dep _",
    "3-4 zum _ _ _ _ _ _ _ SpaceAfter=No", "3 zu _ ADP _ _ 4 case _ _", "4 dem _ DET _ _ 2 obl _ _"))
