#pragma once

#include "core/base/result.h"
#include "core/loading/load_model.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

namespace headscope::python {

namespace py = pybind11;

/// A model that Python holds, and how it was opened.
struct OpenModel {
    std::shared_ptr<const Model> model;
    std::string path; ///< absolute, of the file or folder that was opened
    LoadOptions load = {};

    const ModelSpec& spec() const { return model->spec; }
};

/// `_headscope.Model`, `_headscope.Prompt`, open() and save().
void bindModels(py::module_& module);

/// Of a text or of a sequence of ids. `bos` is "auto", "yes" or "no".
Result<Prompt> promptOf(const Model& model, const py::object& given, const std::string& bos);

} // namespace headscope::python
