#pragma once

#include "core/base/layer_head.h"
#include "core/base/token_id.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace headscope {

/// Where exported numbers come from; written with every file. No time stamps: the same input gives
/// the same bytes.
struct Provenance {
    std::string app_version;
    std::string model_name;
    std::string model_sha256;
    std::string model_family;
    std::string prompt_text;
    TokenIds ids;
    std::vector<std::string> pieces;
    bool has_bos = false;
    std::string ablation; ///< "none", or "zero: 4.1 4.2"
    std::string note;     ///< further settings, one line

    /// One line of JSON with sorted keys.
    std::string json() const;
    /// CRC-32 over the ids as eight hexadecimal digits: names the prompt in file names.
    std::string promptId() const;
};

struct Value;
struct Member;
/// Several values: an array in JSON, elsewhere a text with spaces between them.
using List = std::vector<Value>;
/// Values with names: an object in JSON, and nothing elsewhere.
using Record = std::vector<Member>;

/// One that is not complete yet where Value is. A type of its own, not a bare pointer: libstdc++
/// takes a variant of numbers, strings, vectors and pointers for one that always holds something,
/// and its copy then ends the program where memory is used up.
struct SharedRecord {
    std::shared_ptr<const Record> members;
};

/// What a cell of a table holds: nothing, a truth, a number, a text, a head, or several of these. A
/// head is {"head", "layer"} in JSON and "4.1" elsewhere.
struct Value {
    std::variant<std::monostate, bool, std::int64_t, double, float, std::string, LayerHead, List,
                 SharedRecord>
        held;

    Value() = default;
    Value(bool truth);
    template <std::integral Number>
    requires(!std::same_as<Number, bool>) Value(Number number)
        : held(static_cast<std::int64_t>(number)) {}
    Value(double number);
    Value(float number);
    Value(std::string text);
    Value(std::string_view text);
    Value(const char* text);
    Value(LayerHead head);
    Value(List values);
    Value(Record members);
    /// Nothing for an empty one.
    template <class T>
    Value(const std::optional<T>& maybe) : Value(maybe ? Value(*maybe) : Value()) {}
};

struct Member {
    std::string name;
    Value value;
};

/// The elements of a vector or span, each as one value.
template <class Range>
List listOf(const Range& elements) {
    List list;
    for (const auto& element : elements)
        list.emplace_back(element);
    return list;
}

/// Nothing for an empty text.
Value unlessEmpty(const std::string& text);

/// In files: the shortest digits that read back as the same number, and "" for nothing.
std::string plainText(const Value& value);
/// For people: numbers with `decimals` decimals, and "–" for one that is not defined.
std::string shownText(const Value& value, int decimals);

/// The kinds of files that hold a column or field; HDF5 holds what CSV does.
enum class Files { Both, Csv, Json, None };
constexpr bool isIn(Files files, Files kind) {
    return files == Files::Both || files == kind;
}

struct Column {
    std::string key;        ///< its name in files, "pattern_distance"
    std::string title = ""; ///< its heading on screen; empty: not shown there
    Files files = Files::Both;
    int decimals = 4;         ///< of its numbers on screen
    std::string unit = "";    ///< "nats"; empty: none
    std::string meaning = ""; ///< one sentence; empty where the title says all
};

/// "pattern distance, nats"
std::string headingText(const Column& column);

/// What holds for all rows: in CSV a column after the others, in JSON a key beside the rows.
struct Field {
    std::string key;
    Value value;
    Files files = Files::Both;
};

using TableRow = std::vector<Value>; ///< one value per column

/// The result of an analysis, as every file, the terminal and the window read it. Not all results
/// are rows alone: what JSON nests deeper is a field of JSON only.
struct Table {
    std::string caption; ///< what people read above it
    std::string key;     ///< of the rows in JSON; empty: JSON holds the fields alone
    std::vector<Column> columns;
    std::vector<TableRow> rows;
    std::vector<Field> fields;
    Provenance provenance;

    /// The place of the column with this key, which must exist.
    std::size_t column(std::string_view key) const;
};

/// Gives a field another name in CSV, where a column has its own already; JSON keeps it.
void nameForCsv(Table& table, std::string_view field, std::string name);

/// Sorts the rows by the magnitude of the numbers in one column, largest first; equal ones stay in
/// their order.
Table strongestFirst(Table table, std::string_view key);

/// For the screen: a row for every combination of values in the columns `by`, a column for every
/// value in the column `across`, and in each cell what the column `cell` holds there. All in the
/// order of first appearance.
Table pivot(const Table& table, std::span<const std::string_view> by, std::string_view across,
            std::string_view cell);

/// The result of an analysis that leads from some things to others. All nodes have the same names
/// for their values, in the same order, and all edges, too.
struct Graph {
    struct Edge {
        std::size_t from = 0; ///< index in nodes
        std::size_t to = 0;
        Record values;
    };
    std::vector<Record> nodes;
    std::vector<Edge> edges;
    std::vector<Field> fields; ///< of the whole
    Provenance provenance;
};

} // namespace headscope
