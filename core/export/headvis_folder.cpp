#include "core/export/headvis_folder.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/export/formats/kept_json.h"
#include "core/io/atomic_file.h"
#include "core/io/sealed_json.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace headscope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestHeadvisConfig = std::size_t{16} << 20;
constexpr std::size_t kLargestHeadFile = std::size_t{256} << 20;
constexpr JsonLimits kHeadvisLimits{.depth = 16, .values = 16'000'000};
constexpr std::size_t kLongestSequence = std::size_t{1} << 20; ///< tokens

Error isNoHeadvis(const fs::path& file, const Error& what) {
    return aboutText(what, file.string(),
                     "choose the data/ folder of HeadVis, or one that headscope-cli heads "
                     "--headvis wrote");
}

Error isNoHeadvis(const fs::path& file, std::string what) {
    return isNoHeadvis(file, Error{ErrorCode::Malformed, std::move(what)});
}

Result<JsonDocument> readJson(const fs::path& file, std::size_t limit) {
    const auto text = readTextFile(file, limit);
    if (!text)
        return text.error();
    auto document = readForeignJson(*text, kHeadvisLimits);
    if (!document)
        return isNoHeadvis(file, document.error());
    return document;
}

struct Entry {
    std::size_t query = 0;
    StrongestRow::Key key;
};

/// Nothing if an index or a weight is not a valid number.
std::optional<std::vector<Entry>> entriesOfJson(const JsonValue& sequence, std::size_t length) {
    const std::vector<JsonValue> indices = sequence.member("attention_indices").elements();
    const std::vector<JsonValue> values = sequence.member("attention_values").elements();
    if (indices.size() != values.size())
        return std::nullopt;
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const auto index = indices[i].whole();
        const auto weight = values[i].number();
        if (!index || *index >= length * length || !weight || !(*weight >= 0.0 && *weight <= 2.0))
            return std::nullopt;
        entries.push_back(
            {static_cast<std::size_t>(*index / length),
             {static_cast<std::uint32_t>(*index % length), static_cast<float>(*weight)}});
    }
    return entries;
}

StrongestRow strongestRowOf(const std::vector<Entry>& entries) {
    StrongestRow row;
    for (const Entry& entry : entries)
        if (entry.key.key != 0 && entry.key.key != entry.query && entry.key.weight > row.weight) {
            row.query = static_cast<std::uint32_t>(entry.query);
            row.weight = entry.key.weight;
        }
    std::vector<StrongestRow::Key> keys;
    for (const Entry& entry : entries)
        if (entry.query == row.query)
            keys.push_back(entry.key);
    std::ranges::stable_sort(keys, std::greater<>(), &StrongestRow::Key::weight);
    std::copy_n(keys.begin(), std::min(keys.size(), row.keys.size()), row.keys.begin());
    return row;
}

std::optional<HeadExample> exampleOf(const JsonValue& sequence) {
    HeadExample example;
    for (const JsonValue& token : sequence.member("tokens").elements()) {
        if (token.text() == nullptr)
            return std::nullopt;
        example.pieces.push_back(*token.text());
        example.text += *token.text();
    }
    const std::size_t length = example.pieces.size();
    const auto number = sequence.member("sequence_id").whole();
    const auto interval = sequence.member("interval").whole();
    if (length == 0 || length > kLongestSequence || !interval)
        return std::nullopt;
    const auto entries = entriesOfJson(sequence, length);
    if (!entries)
        return std::nullopt;
    example.sequence = static_cast<std::size_t>(number.value_or(0));
    example.interval = static_cast<std::size_t>(*interval);
    example.row = strongestRowOf(*entries);
    return example;
}

std::vector<float> weightsOf(const std::vector<HeadExample>& examples) {
    std::vector<float> weights(examples.size());
    std::ranges::transform(examples, weights.begin(),
                           [](const HeadExample& example) { return example.row.weight; });
    return weights;
}

/// In equal parts from 0 to 1, whatever the parts of the file are; of the examples where it says
/// nothing.
std::vector<std::size_t> histogramOf(const JsonValue& file,
                                     const std::vector<HeadExample>& examples) {
    const std::vector<JsonValue> edges = file.member("histogram").member("bin_edges").elements();
    const std::vector<JsonValue> values = file.member("histogram").member("bin_values").elements();
    std::vector<std::size_t> bins(kWeightBins);
    if (values.empty() || edges.size() != values.size() + 1)
        return weightHistogram(weightsOf(examples), kWeightBins);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double middle =
            (edges[i].number().value_or(0.0) + edges[i + 1].number().value_or(0.0)) / 2.0;
        const double bin = std::clamp(middle, 0.0, 1.0) * static_cast<double>(kWeightBins);
        bins[std::min(static_cast<std::size_t>(bin), kWeightBins - 1)] +=
            static_cast<std::size_t>(values[i].whole().value_or(0));
    }
    return bins;
}

} // namespace

Result<HeadvisFolder> HeadvisFolder::open(const fs::path& folder) {
    const fs::path file = folder / "config.json";
    const auto document = readJson(file, kLargestHeadvisConfig);
    if (!document)
        return document.error();
    const JsonValue config = document->root();
    HeadvisFolder opened;
    opened.folder_ = folder;
    const std::string* const name = config.member("model_name").text();
    const std::string* const pattern = config.member("head_data_pattern").text();
    opened.model_name_ = name != nullptr ? *name : "a model without a name";
    opened.file_pattern_ = pattern != nullptr ? *pattern : "L{layer}H{head}.json";
    if (opened.file_pattern_.find('/') != std::string::npos)
        return isNoHeadvis(file, "names files of other folders");
    for (const JsonValue& pair : config.member("heads").elements()) {
        const auto head = headFrom(pair);
        if (!head)
            return isNoHeadvis(file, "lists a head that is no pair of numbers");
        opened.heads_.push_back(*head);
    }
    if (opened.heads_.empty())
        return isNoHeadvis(file, "lists no heads");
    return opened;
}

Result<ExampleList> HeadvisFolder::read(LayerHead head, const ExampleQuestion& question) const {
    if (std::ranges::find(heads_, head) == heads_.end())
        return Error{ErrorCode::InvalidArgument, folder_.string() + " holds no examples of L" +
                                                     std::to_string(head.layer) + " H" +
                                                     std::to_string(head.head) + "."};
    std::string name = replaceAll(file_pattern_, "{layer}", std::to_string(head.layer));
    name = replaceAll(name, "{head}", std::to_string(head.head));
    const fs::path file = folder_ / "heads" / name;
    const auto document = readJson(file, kLargestHeadFile);
    if (!document)
        return document.error();
    std::vector<HeadExample> all;
    for (const JsonValue& sequence : document->root().member("sequences").elements()) {
        auto example = exampleOf(sequence);
        if (!example)
            return isNoHeadvis(file, "has a sequence of another form");
        all.push_back(*std::move(example));
    }
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    ExampleList list{
        {}, histogramOf(document->root(), all), {unknown, unknown, unknown, unknown, unknown}};
    for (const ChosenExample& chosen :
         chooseExamples(weightsOf(all), question.kind, question.count, question.seed))
        list.examples.push_back(all[chosen.sequence]); // with the part that the file says
    return list;
}

} // namespace headscope
