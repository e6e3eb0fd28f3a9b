#include "app/python/verification.h"

#include "app/python/open_model.h"
#include "app/python/waiting.h"
#include "core/export/verify_report.h"
#include "core/verify/verify.h"

#include <pybind11/stl.h>

#include <optional>
#include <string>

namespace headscope::python {

namespace {

py::object verified(const OpenModel* open, const std::optional<std::string>& reference,
                    const std::string& date, py::object progress) {
    VerifyOptions options;
    if (open)
        options.model = open->model;
    if (reference)
        options.reference = *reference;
    options.date = date;
    Watch watch(std::move(progress));
    const auto report = finish<VerifyReport>(
        watch, [&] { return verify(options, watch.progress(), watch.stop()); });
    return py::module_::import("json").attr("loads")(verifyJson(report));
}

} // namespace

void bindVerification(py::module_& module) {
    module.def("verify", verified, py::arg("model").none(true), py::arg("reference"),
               py::arg("date"), py::arg("progress"));
}

} // namespace headscope::python
