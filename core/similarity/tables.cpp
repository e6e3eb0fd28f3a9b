#include "core/similarity/tables.h"

#include "core/base/text.h"

#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

constexpr const char* kPatternDistance =
    "Jensen-Shannon divergence of attention rows, a mean over rows; 0: alike, most: ln 2 = 0.693";
constexpr const char* kOutputCosine =
    "Of what the two write, mean over the positions, −1 to 1; 0 where one writes nothing";

List headNames(const HeadSimilarity& similarity, const std::vector<std::size_t>& heads) {
    List names;
    for (const std::size_t head : heads)
        names.emplace_back(headText(similarity.head(head)));
    return names;
}

List matrixRows(const Tensor& matrix) {
    List rows;
    for (std::size_t row = 0; row < matrix.dim(0); ++row)
        rows.emplace_back(listOf(matrix.values().subspan(row * matrix.dim(1), matrix.dim(1))));
    return rows;
}

/// What of JSON is not a row per pair.
std::vector<Field> nestedFields(const HeadSimilarity& similarity, double below) {
    List heads;
    for (std::size_t head = 0; head < similarity.heads(); ++head)
        heads.emplace_back(headText(similarity.head(head)));
    List clusters;
    for (const auto& cluster : clustersBelow(similarity.tree, below))
        clusters.emplace_back(headNames(similarity, cluster));
    List pairs;
    for (const HeadPair& pair : similarPairs(similarity, below))
        pairs.push_back(Record{{"a", headText(pair.a)},
                               {"b", headText(pair.b)},
                               {"output_cosine", pair.cosine},
                               {"pattern_distance", pair.distance}});
    return {{"below", below, Files::Json},
            {"clusters", std::move(clusters), Files::Json},
            {"heads", std::move(heads), Files::Json},
            {"order", headNames(similarity, similarity.order), Files::Json},
            {"output_cosine", matrixRows(similarity.output_cosine), Files::Json},
            {"pattern_distance", matrixRows(similarity.pattern_distance), Files::Json},
            {"redundant_pairs", std::move(pairs), Files::Json}};
}

} // namespace

Table similarityTable(const HeadSimilarity& similarity, double below,
                      const Provenance& provenance) {
    Table table;
    table.columns = {
        {.key = "a"},
        {.key = "b"},
        {.key = "pattern_distance", .unit = "nats", .meaning = kPatternDistance},
        {.key = "output_cosine", .meaning = kOutputCosine},
        {.key = "redundant", .meaning = "1 where the pattern distance is below the limit, else 0"}};
    for (std::size_t i = 0; i < similarity.heads(); ++i)
        for (std::size_t j = i + 1; j < similarity.heads(); ++j) {
            const float distance = similarity.pattern_distance(i, j);
            table.rows.push_back({similarity.head(i), similarity.head(j), distance,
                                  similarity.output_cosine(i, j),
                                  static_cast<double>(distance) < below ? 1 : 0});
        }
    table.fields = nestedFields(similarity, below);
    table.fields.push_back({"input", provenance.note, Files::Csv});
    table.provenance = provenance;
    return table;
}

Table similarPairTable(const HeadSimilarity& similarity, double below,
                       const Provenance& provenance) {
    const std::vector<HeadPair> pairs = similarPairs(similarity, below);
    Table table;
    table.caption = provenance.model_name + " on " + provenance.note +
                    ", pairs of heads whose patterns are closer than " + numberText(below) +
                    " (Jensen-Shannon divergence in nats, at most " +
                    fixedText(std::numbers::ln2, 3) + "): " + std::to_string(pairs.size());
    table.columns = {{.key = "a", .title = "head"},
                     {.key = "b", .title = "and head"},
                     {.key = "pattern_distance",
                      .title = "pattern distance",
                      .unit = "nats",
                      .meaning = kPatternDistance},
                     {.key = "output_cosine",
                      .title = "output cosine",
                      .decimals = 3,
                      .meaning = kOutputCosine}};
    for (const HeadPair& pair : pairs)
        table.rows.push_back({pair.a, pair.b, pair.distance, pair.cosine});
    table.provenance = provenance;
    return table;
}

Table clusterTable(const HeadSimilarity& similarity, double below) {
    Table table;
    table.caption = "Clusters of average linkage below " + numberText(below) + " nats:";
    table.columns = {{.key = "heads", .title = "heads"}};
    for (const auto& cluster : clustersBelow(similarity.tree, below))
        if (cluster.size() > 1)
            table.rows.emplace_back().emplace_back(headNames(similarity, cluster));
    return table;
}

} // namespace headscope
