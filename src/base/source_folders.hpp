// Where the checkout is that this was built from.
#pragma once

namespace lipkin {

extern const char* const kSourceScenes;
extern const char* const kSourceViewer;  // the page, once it is built

}  // namespace lipkin
