#pragma once

#include "core/heads/bootstrap.h"

#include <cstddef>
#include <string>

namespace headscope {

/// "1.930 nats"; nothing left of a number has no sign.
std::string natsText(double value);

/// Two digits: "0.01 nats", "0.033 nats", "1e-06 nats".
std::string leastText(double least);

/// " (95 % 1.710 to 2.150, 10 sequences)"
std::string spreadText(Interval interval, std::size_t sequences);

} // namespace headscope
