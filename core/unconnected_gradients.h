// What a source gets that the differentiated values do not depend on.
#pragma once
#include "core/export.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

enum class UnconnectedGradients {
  kNone,  // an undefined tensor
  kZero,  // zeros of the source's shape and dtype
};

}  // namespace tandem
TANDEM_EXPORT_END
