#include "core/export/scan_parts.h"

#include "core/base/text.h"
#include "core/base/token_id.h"
#include "core/model/model.h"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace headscope {

namespace {

/// An object with a list of objects with lists of lists of pairs.
constexpr JsonLimits kScanLimits{.depth = 8, .unique_keys = true};

constexpr std::array kSums{&AttentionSums::rows,
                           &AttentionSums::rows_from_1,
                           &AttentionSums::self,
                           &AttentionSums::previous,
                           &AttentionSums::entropy,
                           &AttentionSums::distance,
                           &AttentionSums::squared_distance};

/// "[1,2,3]"
template <class Elements, class Text>
std::string listText(const Elements& elements, Text text) {
    std::string list = "[";
    for (const auto& element : elements)
        list.append(list.size() > 1 ? "," : "").append(text(element));
    return list + "]";
}

// Weights are written with the digits of a float, a third of what those of a double take.

std::string keyText(const StrongestRow::Key& key) {
    return "[" + std::to_string(key.key) + "," + numberText(key.weight) + "]";
}

std::string rowText(const StrongestRow& row) {
    return "[" + std::to_string(row.query) + "," + numberText(row.weight) + "," +
           listText(row.keys, keyText) + "]";
}

std::string headText(const HeadScan& head) {
    return R"({"sums":)" +
           listText(kSums, [&](const auto sum) { return numberText(head.sums.*sum); }) +
           R"(,"rows":)" + listText(head.rows, rowText) + "}";
}

std::string lineOf(std::size_t first, const CorpusScan& part) {
    return R"({"first":)" + std::to_string(first) + R"(,"heads":)" + listText(part, headText) + "}";
}

// A value in another form than it was written in, or outside its sequence, counts as missing.

std::optional<std::uint32_t> positionOf(const JsonValue& value, std::size_t length) {
    const auto whole = value.whole();
    return whole && *whole < length ? std::optional(static_cast<std::uint32_t>(*whole))
                                    : std::nullopt;
}

std::optional<float> weightOf(const JsonValue& value) {
    const auto number = value.number();
    return number && *number >= 0.0 && *number <= 2.0 ? std::optional(static_cast<float>(*number))
                                                      : std::nullopt;
}

std::optional<StrongestRow> rowOfJson(const JsonValue& value, std::size_t length) {
    if (value.elements().size() != 3)
        return std::nullopt;
    const auto query = positionOf(value.element(0), length);
    const auto weight = weightOf(value.element(1));
    const std::vector<JsonValue> keys = value.element(2).elements();
    StrongestRow row;
    if (!query || !weight || keys.size() != row.keys.size())
        return std::nullopt;
    row.query = *query;
    row.weight = *weight;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::vector<JsonValue> pair = keys[i].elements();
        const auto key = pair.size() == 2 ? positionOf(pair[0], length) : std::nullopt;
        const auto of_key = pair.size() == 2 ? weightOf(pair[1]) : std::nullopt;
        if (!key || !of_key)
            return std::nullopt;
        row.keys[i] = {*key, *of_key};
    }
    return row;
}

std::optional<HeadScan> headOfJson(const JsonValue& value, std::span<const std::size_t> lengths) {
    HeadScan head;
    const std::vector<JsonValue> sums = value.member("sums").elements();
    if (sums.size() != kSums.size())
        return std::nullopt;
    for (std::size_t i = 0; i < kSums.size(); ++i) {
        const auto sum = sums[i].number();
        if (!sum)
            return std::nullopt;
        head.sums.*kSums[i] = *sum;
    }
    const std::vector<JsonValue> rows = value.member("rows").elements();
    if (rows.size() > lengths.size())
        return std::nullopt;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto row = rowOfJson(rows[i], lengths[i]);
        if (!row)
            return std::nullopt;
        head.rows.push_back(*row);
    }
    return head;
}

/// The scan of sequences with these lengths and of any that follow; nothing where the line is no
/// such scan.
std::optional<CorpusScan> scanOfJson(const JsonValue& line, const HeadIndex& index,
                                     std::span<const std::size_t> lengths) {
    const std::vector<JsonValue> heads = line.member("heads").elements();
    if (heads.size() != index.size())
        return std::nullopt;
    std::vector<HeadScan> scans;
    for (const JsonValue& each : heads) {
        auto head = headOfJson(each, lengths);
        if (!head || (!scans.empty() && head->rows.size() != scans.front().rows.size()))
            return std::nullopt;
        scans.push_back(*std::move(head));
    }
    return CorpusScan(index, std::move(scans));
}

} // namespace

std::string scanQuestion(const Model& model, std::span<const InputSequence> sequences) {
    IdHash hash;
    for (const InputSequence& sequence : sequences) {
        hash.add(static_cast<TokenId>(sequence.ids.size()));
        hash.add(sequence.ids);
    }
    // The notes say where weights were read another way than usual.
    return "1 " + model.sha256 + " " + hash.text() + " " + join(model.report.notes, " ");
}

std::filesystem::path ScanPartsFile::pathFor(const std::filesystem::path& result) {
    return result.string() + ".parts";
}

ScanPartsFile::ScanPartsFile(std::filesystem::path path, const Model& model,
                             std::span<const InputSequence> sequences)
    : file_(std::move(path), scanQuestion(model, sequences)), heads_(headIndex(model.spec)) {
    for (const InputSequence& sequence : sequences)
        lengths_.push_back(sequence.ids.size());
}

Result<CorpusScan> ScanPartsFile::read() const {
    CorpusScan scan;
    auto read = file_.read(kScanLimits, [&](const JsonValue& line) {
        // Two programs that scan the same text may write into one file.
        if (line.member("first").whole() != scannedSequences(scan))
            return false;
        const auto part =
            scanOfJson(line, heads_, std::span(lengths_).subspan(scannedSequences(scan)));
        if (part)
            append(scan, *part);
        return part.has_value();
    });
    if (!read)
        return read.error();
    return scan;
}

Result<void> ScanPartsFile::begin(const CorpusScan& scanned) {
    std::vector<std::string> lines;
    written_ = scannedSequences(scanned);
    if (written_ > 0)
        lines.push_back(lineOf(0, scanned));
    return file_.begin(lines);
}

Result<void> ScanPartsFile::add(const CorpusScan& part) {
    auto added = file_.append(lineOf(written_, part));
    written_ += scannedSequences(part);
    return added;
}

void ScanPartsFile::remove() const {
    file_.remove();
}

} // namespace headscope
