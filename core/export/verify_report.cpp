#include "core/export/verify_report.h"

#include "core/base/table.h"
#include "core/export/table_files.h"

#include <utility>

namespace headscope {

namespace {

const char* markOf(Check::Outcome outcome) {
    switch (outcome) {
    case Check::Passed:
        return "[pass] ";
    case Check::Failed:
        return "[FAIL] ";
    case Check::NotVerified:
        return "[ ?? ] ";
    case Check::NotApplicable:
        return "[ -- ] ";
    }
    return "";
}

std::string underlined(const std::string& title, char line) {
    return title + "\n" + std::string(title.size(), line) + "\n";
}

std::string countsText(const VerifyReport& report) {
    std::string text;
    for (const Check::Outcome outcome : kOutcomes) {
        text += text.empty() ? "" : ", ";
        text += std::to_string(report.count(outcome));
        text += ' ';
        text += outcomeName(outcome);
    }
    return text;
}

std::string provenanceText(const VerifyReport& report) {
    std::string text = underlined("Headscope verification report", '=') + "\n";
    text += "Headscope  " + report.app_version + "\n";
    text += "Date       " + report.date + "\n";
    text += "Machine    " + report.blas + "; " + report.kernels + "\n";
    if (report.model_name.empty()) {
        text += "Model      none given: only what needs no model was checked\n";
    } else {
        text += "Model      " + report.model_name + " (" + report.model_family + ")\n";
        text += "SHA-256    " + report.model_sha256 + "\n";
    }
    if (!report.reference.empty())
        text += "Reference  " + report.reference + "\n";
    text += std::string("Result     ") + report.result() + ": " + countsText(report) +
            (report.model_checked ? "" : "; no check was of this model, which cannot be run") +
            "\n";
    return text;
}

std::string checkText(const Check& check) {
    constexpr const char* indent = "       ";
    std::string text = markOf(check.outcome) + check.name + "\n";
    if (check.outcome != Check::NotApplicable) {
        text += indent + ("expected: " + check.expected) + "\n";
        text += indent + ("measured: " + check.measured) + "\n";
    }
    return text + indent + check.explanation + "\n";
}

Value modelRecord(const VerifyReport& report) {
    if (report.model_name.empty())
        return {};
    return Record{{"family", report.model_family},
                  {"name", report.model_name},
                  {"sha256", report.model_sha256}};
}

Record sectionRecord(const Section& section) {
    List checks;
    for (const Check& check : section.checks)
        checks.push_back(Record{{"expected", check.expected},
                                {"explanation", check.explanation},
                                {"measured", check.measured},
                                {"name", check.name},
                                {"outcome", outcomeName(check.outcome)}});
    return {{"checks", std::move(checks)}, {"name", section.name}};
}

} // namespace

std::string verifyText(const VerifyReport& report) {
    std::string text = provenanceText(report);
    for (const Section& section : report.sections) {
        text += '\n';
        text += underlined(section.name, '-');
        for (const Check& check : section.checks)
            text += checkText(check);
    }
    return text;
}

std::string verifyJson(const VerifyReport& report) {
    Record counts;
    for (const Check::Outcome outcome : kOutcomes)
        counts.push_back({outcomeName(outcome), report.count(outcome)});
    List sections;
    for (const Section& section : report.sections)
        sections.push_back(sectionRecord(section));
    return recordJson({{"app_version", report.app_version},
                       {"blas", report.blas},
                       {"counts", std::move(counts)},
                       {"date", report.date},
                       {"kernels", report.kernels},
                       {"model", modelRecord(report)},
                       {"model_checked", report.model_checked && !report.model_name.empty()},
                       {"passed", report.passed()},
                       {"reference", unlessEmpty(report.reference)},
                       {"sections", std::move(sections)},
                       {"threads", report.threads}});
}

} // namespace headscope
