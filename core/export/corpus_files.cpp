#include "core/export/corpus_files.h"

#include "core/datasets/bundled.h"
#include "core/datasets/conllu.h"
#include "core/heads/sequences.h"
#include "core/io/atomic_file.h"

#include <algorithm>
#include <utility>

namespace headscope {

Result<NamedSequences> textFileSequences(const Model& model, const std::string& path,
                                         std::size_t length, BosMode bos) {
    const auto text = readTextFile(path, kLargestText);
    if (!text)
        return text.error();
    const std::size_t longest = std::min(length, model.spec.n_ctx);
    auto sequences = textSequences(model, *text, bos, longest);
    if (!sequences)
        return sequences.error();
    const std::string name = path + ", " + std::to_string(tokensOf(*sequences)) + " tokens in " +
                             std::to_string(sequences->size()) + " sequences of up to " +
                             std::to_string(longest);
    return NamedSequences{*std::move(sequences), name};
}

Result<NamedSequences> treebankSequences(const Model& model, const std::string& path, BosMode bos) {
    const auto content = readTextFile(path, kLargestConllu);
    if (!content)
        return content.error();
    const auto sentences = readConllu(*content, path);
    if (!sentences)
        return sentences.error();
    if (sentences->empty())
        return Error{ErrorCode::Malformed, path + " holds no sentence; give a file in CoNLL-U."};
    auto sequences = sentenceSequences(model, *sentences, bos);
    if (!sequences)
        return sequences.error();
    std::string name = path + ", " + std::to_string(sequences->size());
    if (sequences->size() < sentences->size())
        name += " of its " + std::to_string(sentences->size());
    name += sentences->size() == 1 ? " sentence" : " sentences";
    return NamedSequences{*std::move(sequences), std::move(name)};
}

Result<NamedSequences> exampleSequences(const Model& model, const ExampleCorpus& corpus) {
    std::string name = "the bundled text";
    std::string text(bundledCalibrationText());
    if (!corpus.file.empty()) {
        auto read = readTextFile(corpus.file, kLargestText);
        if (!read)
            return read.error();
        text = *std::move(read);
        name = corpus.file.filename().string();
    }
    auto sequences =
        textSequences(model, text, corpus.bos, std::min(corpus.length, model.spec.n_ctx));
    if (!sequences)
        return sequences.error();
    auto share = evenShare(*std::move(sequences), corpus.most_tokens);
    std::string described = corpusText(model, name, share);
    return NamedSequences{std::move(share), std::move(described)};
}

} // namespace headscope
