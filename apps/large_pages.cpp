// Memory in large pages for our programs: what is large is asked for in pages of 2 MiB (transparent huge
// pages, which Debian's kernel gives on request). A step of a pile of 10,000 bodies reads some 40 MB, and spends a
// tenth of its time on looking up where small pages are. An embedding program keeps its own operator new.
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;  // [bytes]
constexpr std::size_t kWorthALargePage = kLargePage / 4;

void* take(std::size_t size, std::size_t alignment) noexcept {
  const auto rounded = [&](std::size_t grain) { return (size + grain - 1) / grain * grain; };
  if (size > SIZE_MAX - kLargePage) return nullptr;
  if (size < kWorthALargePage) {
    if (alignment <= alignof(std::max_align_t)) return std::malloc(std::max<std::size_t>(size, 1));
    return std::aligned_alloc(alignment, rounded(alignment));
  }
  void* memory = std::aligned_alloc(std::max(kLargePage, alignment), rounded(kLargePage));
  if (memory) madvise(memory, rounded(kLargePage), MADV_HUGEPAGE);
  return memory;
}

void* take_or_throw(std::size_t size, std::size_t alignment) {
  for (;;) {
    if (void* memory = take(size, alignment)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

// The forms for arrays and those that do not throw end in these.
void* operator new(std::size_t size) { return take_or_throw(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return take_or_throw(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
