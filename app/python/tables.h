#pragma once

#include "core/base/table.h"

#include <pybind11/pybind11.h>

namespace headscope::python {

namespace py = pybind11;

/// A head is (layer, head), nothing is None.
py::object toPython(const Value& value);
py::dict toPython(const Provenance& provenance);
/// Table::fields by their keys.
py::dict fieldsOf(const Table& table);

/// `_headscope.Table`, of which headscope.Table is made.
void bindTables(py::module_& module);

} // namespace headscope::python
