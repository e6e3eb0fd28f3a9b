#pragma once

#include <sys/types.h>

#include <string_view>

namespace headscope {

/// Whether a process has waited for a processor for longer than it had one, because others use
/// them all. A process that sleeps, or is stopped, waits for none. False where the system does not
/// tell.
bool isShortOfProcessor(pid_t process);

/// The same by the text of /proc/PID/schedstat: nanoseconds on a processor, nanoseconds of waiting
/// for one, and the number of turns.
bool isShortOfProcessor(std::string_view schedstat);

} // namespace headscope
