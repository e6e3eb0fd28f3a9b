// Opens the files that it is told on its standard input, one after the other, as the programs do:
// `KIND PATH` a line. It answers with a line for each: the most memory that it and its readers have
// taken so far in kB, then "used", or "refused" and the sentence. A crash is that of the file that
// was not answered for.

#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/utf8.h"
#include "core/datasets/conllu.h"
#include "core/engine/engine.h"
#include "core/export/headvis_folder.h"
#include "core/export/project_file.h"
#include "core/export/work.h"
#include "core/interventions/prompt_set.h"
#include "core/io/atomic_file.h"
#include "core/io/tensor_source.h"
#include "core/loading/dialect.h"
#include "core/loading/dialects/gguf/gguf_metadata.h"
#include "core/loading/load_model.h"
#include "core/loading/tokenizer_files.h"
#include "core/pruning/orders.h"
#include "core/pruning/recipe.h"
#include "core/tensor/blas_memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <new>
#include <string>

namespace {

using namespace headscope;
using Path = std::filesystem::path;
using ModelPointer = std::shared_ptr<const Model>;

constexpr std::size_t kLargestText = std::size_t{64} << 20;
constexpr std::string_view kText = "Hello, wörld 42! 你好 <s>[MASK]\n";
constexpr std::size_t kMostPrompts = 4;

Result<void> readTensors(const Path& path) {
    const auto source = openTensorSource(path);
    if (!source)
        return source.error();
    for (const TensorInfo& tensor : (*source)->tensors()) {
        std::vector<float> values(elementCount(tensor.shape));
        if (auto read = (*source)->read(tensor, values); !read)
            return read;
    }
    return {};
}

Result<void> useTokenizer(const Tokenizer& tokenizer) {
    const auto encoding = tokenizer.encode(kText, true);
    if (!encoding)
        return encoding.error();
    static_cast<void>(tokenizer.decode(encoding->ids, false));
    for (const TokenId id : encoding->ids)
        static_cast<void>(tokenizer.piece(id));
    return {};
}

Result<void> openModel(const Path& path) {
    const auto model = loadModel(path);
    if (!model)
        return model.error();
    if ((*model)->tokenizer) // it may lack what the text needs
        static_cast<void>(useTokenizer(*(*model)->tokenizer));
    if (!(*model)->spec.cannot_run.empty())
        return {};
    Request request;
    request.logits = (*model)->spec.output != OutputHead::None;
    const auto run = runModel(*model, {1, 2, 3}, request);
    return run ? Result<void>() : run.error();
}

Result<void> openTokenizer(const Path& weights) {
    const auto source = openTranslated(weights);
    if (!source)
        return source.error();
    const auto found = findTokenizer(*source->file);
    if (!found)
        return found.error();
    return *found ? useTokenizer(*(*found)->tokenizer)
                  : Error{ErrorCode::NotFound, "There is no tokenizer."};
}

/// Of a GGUF that has no more than a tokenizer.
Result<void> openGgufTokenizer(const Path& path) {
    const auto source = openTensorSource(path);
    if (!source)
        return source.error();
    const auto metadata = JsonDocument::parse((*source)->text(kGgufMetadata).value_or(""));
    if (!metadata)
        return metadata.error();
    const auto rewritten = ggufTokenizer(metadata->root(), path.filename().string());
    if (!rewritten)
        return rewritten.error();
    const auto tokenizer = readTokenizerJson(rewritten->json, path.filename().string());
    return tokenizer ? useTokenizer(**tokenizer) : tokenizer.error();
}

/// What is read from a text file for this model.
using TextReader = Result<void> (*)(const std::string& text, const ModelPointer& model);

template <typename Value>
Result<void> outcome(const Result<Value>& result) {
    return result ? Result<void>() : result.error();
}

Result<void> readPrompts(const std::string& text, const ModelPointer& model) {
    auto set = readPromptSet(*model, text, "prompts.txt");
    if (!set)
        return set.error();
    set->prompts.resize(std::min(set->prompts.size(), kMostPrompts));
    for (const Prompt& prompt : set->prompts) {
        if (auto run = runModel(model, prompt.ids); !run)
            return run.error();
    }
    return {};
}

const std::map<std::string, TextReader> kTexts{
    {"prompts", &readPrompts},
    {"conllu", [](const std::string& text,
                  const ModelPointer&) { return outcome(readConllu(text, "text")); }},
    {"recipe",
     [](const std::string& text, const ModelPointer& model) {
         const auto recipe = readRecipe(text, "recipe");
         return recipe ? outcome(recipeHeads(*recipe, *model)) : recipe.error();
     }},
    {"plan", [](const std::string& text,
                const ModelPointer&) { return outcome(WorkPlan::read(text, "plan")); }},
    {"heads",
     [](const std::string& text, const ModelPointer& model) {
         return outcome(ownListOrder(text, "heads.txt", model->spec));
     }},
};

Result<void> openHeadvis(const Path& config) {
    const auto folder = HeadvisFolder::open(config.parent_path());
    if (!folder)
        return folder.error();
    for (const LayerHead head : folder->heads())
        if (auto read = folder->read(head, {}); !read)
            return read.error();
    return {};
}

Result<void> open(const std::string& kind, const Path& path, const ModelPointer& model) {
    if (kind == "model")
        return openModel(path);
    if (kind == "tensors")
        return readTensors(path);
    if (kind == "tokenizer")
        return openTokenizer(path);
    if (kind == "gguf-tokenizer")
        return openGgufTokenizer(path);
    if (kind == "project")
        return outcome(readProject(path));
    if (kind == "headvis")
        return openHeadvis(path);
    const auto text = readTextFile(path, kLargestText);
    return text ? kTexts.at(kind)(*text, model) : text.error();
}

/// In kB. Not what getrusage says of this process, which counts the one that started it, too.
long mostOwnMemory() {
    std::ifstream status("/proc/self/status");
    std::string name;
    long kilobytes = 0;
    while (status >> name && name != "VmHWM:")
        status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    status >> kilobytes;
    return kilobytes;
}

/// The same of this process and its readers.
long mostMemory() {
    rusage readers{};
    ::getrusage(RUSAGE_CHILDREN, &readers);
    return std::max(mostOwnMemory(), readers.ru_maxrss);
}

std::string answer(const std::string& kind, const Path& path, const ModelPointer& model) {
    try {
        const auto opened = open(kind, path, model);
        return opened ? "used" : "refused " + escapeControls(opened.error().message);
    } catch (const std::bad_alloc&) { // as main() of the programs does
        return "refused " + memoryIsUsedUp().message;
    }
}

} // namespace

/// The model that texts are read for.
int main(int argc, char** argv) {
    const auto reserved = reserveBlasMemory();
    const auto model = argc == 2 ? loadModel(argv[1])
                                 : Error{ErrorCode::NotFound, "Which model are texts read for?"};
    if (!reserved || !model) {
        std::cerr << (reserved ? model.error() : reserved.error()).message << '\n';
        return 1;
    }
    std::string kind;
    std::string path;
    while (std::cin >> kind && std::getline(std::cin >> std::ws, path)) {
        const std::string said = answer(kind, path, *model);
        std::cout << mostMemory() << ' ' << said << std::endl;
    }
    return 0;
}
