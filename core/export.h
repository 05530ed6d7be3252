// What libtandem.so exports. The project is compiled with hidden visibility; a public header brackets its declarations:
//
//   TANDEM_EXPORT_BEGIN
//   namespace tandem {
//   ...
//   }  // namespace tandem
//   TANDEM_EXPORT_END
#pragma once

#define TANDEM_EXPORT_BEGIN _Pragma("GCC visibility push(default)")
#define TANDEM_EXPORT_END _Pragma("GCC visibility pop")
