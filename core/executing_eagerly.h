// Which of the two modes the calling thread is in.
#pragma once
#include "core/export.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// True where an op that is called runs at once; false inside a GraphScope, where it is recorded.
bool ExecutingEagerly();

}  // namespace tandem
TANDEM_EXPORT_END
