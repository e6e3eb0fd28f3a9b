#include "core/export/work_event.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace headscope {

namespace {

double thousandths(double value) {
    return std::round(value * 1000.0) / 1000.0;
}

} // namespace

std::string workEventLine(const WorkEvent& event) {
    nlohmann::json json{{"event", event.event}, {"done", event.done}, {"of", event.of}};
    if (!event.unit.empty())
        json["unit"] = event.unit;
    if (!event.machine.empty())
        json["machine"] = event.machine;
    if (event.fraction)
        json["fraction"] = thousandths(*event.fraction);
    if (event.seconds)
        json["seconds"] = thousandths(*event.seconds);
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace headscope
