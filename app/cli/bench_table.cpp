#include "app/cli/bench_table.h"

#include "app/cli/terminal.h"
#include "core/base/text.h"
#include "core/export/provenance.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"
#include "core/tensor/startup.h"

#include <cstdlib>
#include <string>
#include <utility>

namespace headscope::cli {

namespace {

// What columns mean.
constexpr const char* kTimesFloor = "The median over that of the matrix products alone";
constexpr const char* kPeakMemory = "Most at any time of the runs, weights and program not counted";

/// How many times as long as its floor; nothing when that was not measured.
std::optional<double> timesFloor(const Measurement& measured, std::span<const Measurement> all) {
    for (const Measurement& other : all)
        if (other.tokens == measured.tokens && other.benchmark->name == measured.benchmark->floor)
            return measured.median() / other.median();
    return std::nullopt;
}

std::string millisecondsText(double seconds) {
    const double milliseconds = seconds * 1000.0;
    const int decimals = milliseconds < 1.0 ? 4 : milliseconds < 100.0 ? 2 : 0;
    return fixedText(milliseconds, decimals) + " ms";
}

/// The value of OPENBLAS_CORETYPE where the user set it, which overrules the choice of kernels.
std::optional<std::string> coreTypeVariable() {
    const char* value = std::getenv("OPENBLAS_CORETYPE");
    return value != nullptr && !wereBlasKernelsMissed() ? std::optional<std::string>(value)
                                                        : std::nullopt;
}

std::string captionOf(const Model& model, int repeats) {
    std::vector<Row> rows{
        {"model", model.name + ", " + byteText(model.report.weight_bytes) + " of weights"},
        {"kernels", blasDescription()},
        {"repeats", std::to_string(repeats) + " after one to warm up"}};
    if (const auto variable = coreTypeVariable())
        rows.push_back({"warning", "OPENBLAS_CORETYPE=" + *variable +
                                       " overrules the kernels OpenBLAS would choose"});
    return rowsText(std::move(rows));
}

TableRow rowOf(const Measurement& measured, std::span<const Measurement> all) {
    const auto ratio = timesFloor(measured, all);
    return {measured.tokens,
            measured.benchmark->name,
            measured.median(),
            millisecondsText(measured.median()),
            millisecondsText(measured.seconds.front()),
            listOf(measured.seconds),
            ratio,
            ratio ? fixedText(*ratio, 2) : "–",
            measured.peak_bytes,
            measured.peak_bytes ? byteText(*measured.peak_bytes) : "–"};
}

} // namespace

Table benchTable(const Model& model, int repeats, std::span<const Measurement> measured) {
    Table table;
    table.caption = captionOf(model, repeats);
    table.key = "measurements";
    table.columns = {
        {.key = "tokens", .title = "tokens"},
        {.key = "what", .title = "what"},
        {.key = "median_seconds", .unit = "s", .meaning = "Of the runs"},
        {.key = "median text",
         .title = "median",
         .files = Files::None,
         .meaning = "Time of the runs"},
        {.key = "fastest text",
         .title = "fastest",
         .files = Files::None,
         .meaning = "Time of the fastest run"},
        {.key = "seconds", .unit = "s", .meaning = "Of each run, ascending"},
        {.key = "times_floor", .meaning = kTimesFloor},
        {.key = "floor text", .title = "× floor", .files = Files::None, .meaning = kTimesFloor},
        {.key = "peak_bytes", .unit = "bytes", .meaning = kPeakMemory},
        {.key = "peak text",
         .title = "memory beyond the weights",
         .files = Files::None,
         .meaning = kPeakMemory}};
    for (const Measurement& each : measured)
        table.rows.push_back(rowOf(each, measured));
    table.fields = {
        {"weight_bytes", model.report.weight_bytes}, {"kernels", blasDescription()},
        {"openblas_coretype", coreTypeVariable()},   {"threads", threads()},
        {"model", model.name, Files::Json},          {"version", HEADSCOPE_VERSION, Files::Json}};
    table.provenance = provenanceOf(model);
    return table;
}

} // namespace headscope::cli
