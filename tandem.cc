// The one place that sees all layers and wires them together.
#include "tandem.h"
