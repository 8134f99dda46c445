// Nothing: the target that tests/headers.hpp is precompiled for needs a source.
