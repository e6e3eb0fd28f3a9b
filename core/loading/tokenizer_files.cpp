#include "core/loading/tokenizer_files.h"

#include "core/base/json.h"
#include "core/io/atomic_file.h"
#include "core/io/sealed_json.h"
#include "core/loading/model_texts.h"
#include "core/model/prompt.h"
#include "core/tokenizer/from_files.h"
#include "core/tokenizer/tokenizer.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

namespace headscope {

namespace {

namespace fs = std::filesystem;

/// The folder of a weight file and, in it, the folder of KerasHub's presets.
class Finder {
public:
    explicit Finder(const TensorSource& file)
        : file_(file), folder_(file.path().parent_path()), name_(file.path().filename().string()) {}

    Result<std::optional<FoundTokenizer>> find();

private:
    using Found = Result<std::optional<FoundTokenizer>>;

    Found findTokenizerJson();
    Found findSentencePiece();
    Found findMerges();
    Found findWordPieces();
    Found findInside();

    Result<void> readSettings();
    using ReadSettings = Result<void> (TokenizerSettings::*)(std::string_view json,
                                                             std::string_view source);
    Result<void> readSettingsFile(std::string_view name, ReadSettings read);
    Found use(const Result<RewrittenTokenizer>& rewritten, const std::string& source);
    Found useJson(std::string json, const std::string& source);

    /// Where one of the names is, if anywhere.
    std::optional<fs::path> locate(std::initializer_list<std::string_view> names) const;
    std::string beside(const fs::path& path) const {
        return path.lexically_relative(folder_).string() + " beside " + name_;
    }

    const TensorSource& file_;
    fs::path folder_;
    std::string name_;
    TokenizerSettings settings_;
    std::vector<std::string> notes_;
};

Result<std::optional<FoundTokenizer>> Finder::find() {
    if (const auto read = readSettings(); !read)
        return read.error();
    for (const auto step : {&Finder::findTokenizerJson, &Finder::findSentencePiece,
                            &Finder::findMerges, &Finder::findWordPieces, &Finder::findInside}) {
        auto found = (this->*step)();
        if (!found)
            return found;
        if (!*found)
            continue;
        FoundTokenizer& tokenizer = **found;
        notes_.insert(notes_.end(), tokenizer.notes.begin(), tokenizer.notes.end());
        for (std::string& note : tokenizer.tokenizer->notes())
            notes_.push_back(std::move(note));
        tokenizer.notes = std::move(notes_);
        tokenizer.add_bos_token = settings_.add_bos_token;
        tokenizer.bos_token = tokenizer.tokenizer->id(settings_.bos_token);
        tokenizer.mask_token = tokenizer.tokenizer->id(settings_.mask_token);
        return found;
    }
    return std::optional<FoundTokenizer>();
}

Result<void> Finder::readSettings() {
    using Settings = TokenizerSettings;
    if (auto read = readSettingsFile("tokenizer_config.json", &Settings::readTokenizerConfig);
        !read)
        return read;
    if (auto read = readSettingsFile("special_tokens_map.json", &Settings::readSpecialTokensMap);
        !read)
        return read;
    return readSettingsFile("added_tokens.json", &Settings::readAddedTokens);
}

/// Whether the reading of texts itself failed or was cancelled, whatever is in this one.
bool isOfNoText(const Error& error) {
    return error.code == ErrorCode::Unreadable || error.code == ErrorCode::Cancelled;
}

/// Fails where the text cannot be read at all: the next one would take as long to fail.
Result<void> Finder::readSettingsFile(std::string_view name, ReadSettings read) {
    const auto leaveAside = [&](const Error& error) {
        notes_.push_back("What " + std::string(name) + " says is left aside: " + error.message);
        return Result<void>();
    };
    const auto take = [&](const std::string& text, const std::string& source) -> Result<void> {
        TokenizerSettings settings = settings_;
        if (const auto done = (settings.*read)(text, source); !done)
            return isOfNoText(done.error()) ? done : leaveAside(done.error());
        settings_ = std::move(settings);
        return {};
    };
    const auto near = findModelText(file_, fs::path(name).stem().string(), kLargestConfig);
    if (!near)
        return leaveAside(near.error());
    if (*near)
        return take((*near)->content, (*near)->source);
    const auto path = locate({name});
    if (!path)
        return {};
    const auto text = readTextFile(*path, kLargestConfig);
    if (!text)
        return leaveAside(text.error());
    return take(*text, beside(*path));
}

/// KerasHub writes what it would build a tokenizer from, under the name of Hugging Face's file.
bool isKerasConfig(const JsonDocument& file) {
    return file.root().find("class_name") && !file.root().find("model");
}

Finder::Found Finder::findTokenizerJson() {
    auto text = findModelText(file_, "tokenizer", kLargestTokenizer);
    if (!text)
        return text.error();
    if (!*text)
        return std::optional<FoundTokenizer>();
    const std::string& content = (*text)->content;
    const bool may_be_config =
        content.size() <= kLargestConfig && content.find("\"class_name\"") != std::string::npos;
    const auto file = may_be_config ? std::optional(readForeignJson(content)) : std::nullopt;
    if (file && !*file && isOfNoText(file->error()))
        return aboutText(file->error(), (*text)->source, "");
    if (file && *file && isKerasConfig(**file)) {
        notes_.push_back((*text)->source +
                         " is the config of a Keras object and no tokenizer; it is passed over.");
        return std::optional<FoundTokenizer>();
    }
    return useJson(std::move((*text)->content), (*text)->source);
}

Finder::Found Finder::useJson(std::string json, const std::string& source) {
    auto tokenizer = readTokenizerJson(json, source);
    if (!tokenizer)
        return tokenizer.error();
    return std::optional(
        FoundTokenizer{*std::move(tokenizer), source, std::move(json), {}, {}, {}, {}});
}

Finder::Found Finder::use(const Result<RewrittenTokenizer>& rewritten, const std::string& source) {
    if (!rewritten)
        return rewritten.error();
    auto found = useJson(rewritten->json, source);
    if (found)
        (*found)->notes = rewritten->notes;
    return found;
}

Finder::Found Finder::findSentencePiece() {
    const auto path =
        locate({"tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "vocabulary.spm"});
    if (!path)
        return std::optional<FoundTokenizer>();
    const std::string source = beside(*path);
    if (path->filename() == "sentencepiece.bpe.model")
        return Error{ErrorCode::Unsupported,
                     source + " is for models that number its pieces as fairseq does, which "
                              "Headscope does not implement; put the model's tokenizer.json "
                              "there."};
    const auto bytes = readTextFile(*path, kLargestSentencePieceFile);
    if (!bytes)
        return bytes.error();
    auto tokenizer =
        readSentencePiece(*bytes, source,
                          {settings_.add_bos_token.value_or(true),
                           settings_.add_eos_token.value_or(false), settings_.added_tokens});
    if (!tokenizer)
        return tokenizer.error();
    return std::optional(FoundTokenizer{*std::move(tokenizer), source, {}, {}, {}, {}, {}});
}

Finder::Found Finder::findMerges() {
    const auto vocabulary = locate({"vocab.json", "vocabulary.json"});
    const auto merges = locate({"merges.txt"});
    if (!vocabulary || !merges)
        return std::optional<FoundTokenizer>();
    const auto vocabulary_text = readTextFile(*vocabulary, kLargestTokenizer);
    if (!vocabulary_text)
        return vocabulary_text.error();
    const auto merges_text = readTextFile(*merges, kLargestTokenizer);
    if (!merges_text)
        return merges_text.error();
    const std::string source = vocabulary->lexically_relative(folder_).string() + " and " +
                               merges->lexically_relative(folder_).string() + " beside " + name_;
    return use(rewriteMerges(*vocabulary_text, *merges_text, settings_, source), source);
}

Finder::Found Finder::findWordPieces() {
    const auto path = locate({"vocab.txt", "vocabulary.txt"});
    if (!path)
        return std::optional<FoundTokenizer>();
    const auto text = readTextFile(*path, kLargestTokenizer);
    if (!text)
        return text.error();
    return use(rewriteWordPieces(*text, settings_, beside(*path)), beside(*path));
}

/// What there is for want of a better one.
Finder::Found Finder::findInside() {
    if (const auto reason = file_.text(kUnusableTokenizer))
        return Error{ErrorCode::Unsupported, *reason};
    auto guess = file_.text(kGuessedTokenizer);
    if (!guess)
        return std::optional<FoundTokenizer>();
    notes_.push_back(name_ + " does not say how its tokenizer splits texts into words, so they are "
                             "split as llama.cpp does it then, which may give other tokens than "
                             "the model knows; put its tokenizer.json beside the file.");
    return useJson(*std::move(guess), "the metadata of " + name_);
}

std::optional<fs::path> Finder::locate(std::initializer_list<std::string_view> names) const {
    for (const fs::path& folder : {folder_, folder_ / "assets" / "tokenizer"}) {
        for (const std::string_view name : names) {
            std::error_code failure;
            if (fs::exists(folder / name, failure))
                return folder / name;
        }
    }
    return std::nullopt;
}

/// The token that ends segment 0 of a pair, where one token does: all after it is segment 1.
std::optional<TokenId> segmentSeparator(const std::vector<PairPlace>& places,
                                        std::size_t token_types) {
    const auto second = std::ranges::find(places, std::size_t{1}, &PairPlace::segment);
    if (token_types < 2 || second == places.begin() || second == places.end())
        return std::nullopt;
    const auto separator = std::prev(second);
    const bool is_rest_second = std::all_of(
        second, places.end(), [](const PairPlace& place) { return place.segment == 1; });
    const bool is_start_first = std::all_of(
        places.begin(), second, [](const PairPlace& place) { return place.segment == 0; });
    const bool is_alone =
        std::count_if(places.begin(), second, [&](const PairPlace& place) {
            return place.kind == PairPlace::Kind::Token && place.id == separator->id;
        }) == 1;
    if (separator->kind != PairPlace::Kind::Token || !is_rest_second || !is_start_first ||
        !is_alone)
        return std::nullopt;
    return separator->id;
}

std::string segmentsNote(const Model& model) {
    if (!model.spec.segment_separator)
        return "All tokens are segment 0, as the tokenizer has no template of two texts with "
               "segments 0 and 1.";
    return "Tokens after the first " + tokenPiece(model, *model.spec.segment_separator) +
           " are segment 1, all others segment 0, as in the tokenizer's template of two texts.";
}

void settleSpecialTokens(const FoundTokenizer& found, Model& model) {
    const Tokenizer& tokenizer = *found.tokenizer;
    ModelSpec& spec = model.spec;
    model.bos_facts = {spec.bos_token, found.bos_token, found.add_bos_token};
    if (const auto prefix = tokenizer.prefixToken())
        spec.bos_token = prefix;
    else if (found.bos_token && (!spec.bos_token || found.add_bos_token.value_or(false)))
        spec.bos_token = found.bos_token;
    if (!spec.mask_token && !spec.causal)
        spec.mask_token = found.mask_token;
    for (const std::string_view name : {"[MASK]", "<mask>"})
        if (const auto id = tokenizer.id(name); id && !spec.mask_token && !spec.causal)
            spec.mask_token = id;
    spec.segment_separator = segmentSeparator(tokenizer.pairTemplate(), spec.n_token_types);
    if (spec.n_token_types >= 2)
        model.report.notes.push_back(segmentsNote(model));
    const std::size_t known = tokenizer.vocabularySize();
    if (known > spec.d_vocab)
        model.report.notes.emplace_back(
            "The tokenizer has " + std::to_string(known) + " tokens and the model only " +
            std::to_string(spec.d_vocab) + ": texts that need the others are refused.");
}

} // namespace

Result<std::optional<FoundTokenizer>> findTokenizer(const TensorSource& file) {
    return Finder(file).find();
}

std::string tokenizerConfig(const TensorSource& file) {
    const auto text = findModelText(file, "tokenizer_config", kLargestConfig);
    return text && *text ? (*text)->content : "";
}

void takeTokenizer(const TensorSource& file, Model& model) {
    model.bos_facts.config_token = model.spec.bos_token;
    auto& notes = model.report.notes;
    std::string& unused = model.report.unused_tokenizer;
    if (!model.spec.ids_only.empty()) {
        unused = model.spec.ids_only + ".";
    } else if (const auto found = findTokenizer(file); !found) {
        unused = "the tokenizer cannot be used: " + found.error().message;
    } else if (*found) {
        model.tokenizer = (*found)->tokenizer;
        model.report.tokenizer_source = (*found)->source;
        notes.insert(notes.end(), (*found)->notes.begin(), (*found)->notes.end());
        settleSpecialTokens(**found, model);
    } else {
        notes.emplace_back("No tokenizer: prompts are token ids.");
    }
    if (!unused.empty())
        notes.emplace_back("Prompts are token ids, because " + unused);
    model.report.bos_rule = bosRule(model).reason;
}

} // namespace headscope
