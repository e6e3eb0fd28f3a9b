"""What llama.cpp makes of texts under the names of pre-tokenizers (tokenizer.ggml.pre) that GGUF
files carry: pre_tokenizers.json, with one vocabulary whose merges reach across words of every kind,
so that each other way to split a text gives other ids.

llama.cpp cannot run every regular expression of the original tokenizers and approximates some. Where
its source quotes the original, Headscope takes the original; the texts that tell the two apart are in
APPROXIMATED, and have null for ids.

Needs gguf, tokenizers and xllamacpp, whose library has llama.cpp's own functions.
Run: python make_pre_tokenizers.py OUTDIR
"""
import ctypes, json, os, sys, tempfile
import gguf
import xllamacpp
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

NAMES = """default gpt-2 phi-2 roberta-bpe jina-v1-en gigachat a.x-4.0 mellum modern-bert exaone4 jais trillion
    granite-docling mpt olmo llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano dbrx
    smaug-bpe chatglm-bpe glm4 glm5 minicpm5 qwen2 deepseek-r1-qwen hunyuan kormo f2llmv2 solar-open grok-2 megrez
    stablelm2 qwen35 tekken gpt-4o llama4 kanana2 minimax-m2 talkie tiny_aya cohere2moe bloom poro-chat gpt3-finnish
    viking starcoder refact smollm command-r codeshell exaone minerva-7b mellum2 deepseek-llm deepseek-coder
    deepseek-v3 hunyuan-dense joyai-llm hy_v4 superbpe bailingmoe bailingmoe2 llada-moe seed-coder
    exaone-moe""".split()
TEXTS = [
    "Hello, world! It's fine.", "  two spaces  and   three   ", " leading", "trailing ", "a\tb\t\tc",
    "1", "12", "123", "1234", "12345", "1234567 and 12 345 678", " 1 22 333 4444", "a  12 b   3456", "3.14159, 2.71", "x1y22z333",
    "IT'S WE'RE I'LL THEY'VE I'M HE'D DON'T", "it's we're I'll they've I'm he'd don't", "'s'S 'Re'lL", "o'clock 'tis",
    "line\nline\n\nline\n\n\n", "\n", "\n\n", " \n \n\n  \n", "a \n b\r\n c\r\rd", "end.\n", "end...\n\nnext", "path/\n/x\n",
    "!!!??? ... -- ==", "f(x) = {a[0] + b*c} // no", "$5 + 7 < 9 ^ ~ | `q`", "<tag attr=\"v\">", "a_b __c__ #d @e",
    "我想在apple工作1314151天", "東京タワーは333メートル", "안녕하세요 세계 123", "你好，世界。“引号”！", "ＡＢＣ　ｘｙｚ！",
    "Привет мир, это тест", "Ελληνικά γράμματα", "café naïve Übung", "aÜb ÀÉ éÀ", "हिन्दी में", "ภาษาไทย 12", "שלום עולם",
    "cafe\u0301 e\u0301e\u0301", "😀 emoji 😶‍🌫️✅🦙🦙", "½ ² Ⅷ x²", "word\u00a0nbsp\u3000wide", "CamelCaseWORDs HTTPServer aB",
    "tea teapot", "qzx qzx", "  qzx", "The END", "1234abc 12ab",
]
WHOLE_WORDS = ["qzx", "Ġqzx", "teapot", "ĠEND"] # no merges lead to them: ids of names that ignore merges
TOKENS = 1100
CAMEL = {"CamelCaseWORDs HTTPServer aB"}
CASED = {"aÜb ÀÉ éÀ"} # llama.cpp has no cases beyond ASCII
MARKED = {"हिन्दी में", "ภาษาไทย 12", "cafe\u0301 e\u0301e\u0301", "😀 emoji 😶‍🌫️✅🦙🦙"} # nor marks beside letters
COMPOSED = {"cafe\u0301 e\u0301e\u0301"} # the tokenizer composes it, llama.cpp does not
APPROXIMATED = {
    **dict.fromkeys(["gpt-4o", "llama4", "kanana2", "minimax-m2", "talkie", "tekken"], CASED | MARKED),
    **dict.fromkeys(["qwen2", "command-r", "mpt", "olmo"], COMPOSED),
    # No cases at all; digits are counted from the right, and stay with what is before them; the
    # original counts them so only where no letter follows, and always sets them apart.
    **dict.fromkeys(["tiny_aya", "cohere2moe"], CAMEL | CASED | {
        "1234abc 12ab", "a  12 b   3456", "我想在apple工作1314151天"}),
}


def vocabulary():
    """Trained on whole texts, so that words do not end merges."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.train_from_iterator(TEXTS * 2, trainers.BpeTrainer(
        vocab_size=TOKENS, min_frequency=2, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    model = json.loads(tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    tokens += [word for word in WHOLE_WORDS if word not in model["vocab"]] + ["<s>"]
    return tokens, [" ".join(merge) for merge in model["merges"]]


SILENT = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(lambda *_: None)


class Parameters(ctypes.Structure):
    """llama_model_params, by value; more than it has is harmless."""
    _fields_ = [("before", ctypes.c_ubyte * 72), ("vocab_only", ctypes.c_bool), ("behind", ctypes.c_ubyte * 55)]


def llama_cpp():
    folder = os.path.dirname(xllamacpp.__file__)
    library = ctypes.CDLL(os.path.join(folder, "xllamacpp.abi3.so"))
    library.llama_log_set(SILENT, None)
    library.llama_model_default_params.restype = Parameters
    library.llama_model_load_from_file.restype = ctypes.c_void_p
    library.llama_model_load_from_file.argtypes = [ctypes.c_char_p, Parameters]
    library.llama_model_get_vocab.restype = ctypes.c_void_p
    library.llama_model_get_vocab.argtypes = [ctypes.c_void_p]
    library.llama_tokenize.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_void_p,
                                       ctypes.c_int32, ctypes.c_bool, ctypes.c_bool]
    return library


def ids_of_texts(library, name, tokens, merges):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/vocabulary.gguf"
        w = gguf.GGUFWriter(path, "llama")
        w.add_tokenizer_model("gpt2")
        if name:
            w.add_tokenizer_pre(name)
        w.add_token_list(tokens)
        w.add_token_types([gguf.TokenType.NORMAL] * (len(tokens) - 1) + [gguf.TokenType.CONTROL])
        w.add_token_merges(merges)
        w.add_bos_token_id(len(tokens) - 1)
        w.write_header_to_file()
        w.write_kv_data_to_file()
        w.close()
        parameters = library.llama_model_default_params()
        parameters.vocab_only = True
        model = library.llama_model_load_from_file(path.encode(), parameters)
    assert model, name
    handle = library.llama_model_get_vocab(model)
    ids = []
    for text in TEXTS:
        found = (ctypes.c_int32 * 500)()
        text = text.encode()
        ids.append(found[:library.llama_tokenize(handle, text, len(text), found, 500, True, True)])
    return ids


def main():
    tokens, merges = vocabulary()
    library = llama_cpp()
    cases = {}
    for name in ["", *NAMES]:
        ids = [None if text in APPROXIMATED.get(name, ()) else found
               for text, found in zip(TEXTS, ids_of_texts(library, name, tokens, merges))]
        cases.setdefault(json.dumps(ids), []).append(name)
    with open(f"{sys.argv[1]}/pre_tokenizers.json", "w", encoding="utf-8") as file:
        parts = [f'"{key}": {json.dumps(value, ensure_ascii=False)}' for key, value in
                 [("tokens", tokens), ("merges", merges), ("texts", TEXTS)]]
        rows = [f'{{"names": {json.dumps(names)}, "ids": {ids.replace(" ", "")}}}' for ids, names in cases.items()]
        file.write("{" + ",\n".join(parts) + ',\n"cases": [' + ",\n".join(rows) + "]}\n")
    for names in cases.values():
        print(*names)


main()
