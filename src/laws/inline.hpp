// Laws are called from kernels that are compiled once per instruction set; see docs/decisions/0002 for why everything
// called there is forced inline.
#pragma once

#define LIPKIN_LAW_INLINE inline __attribute__((always_inline))
