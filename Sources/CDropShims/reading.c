// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CDropShims.h"

#include <sys/uio.h>

int dragpipe_open_at_once(const char *path, int flags) {
#if defined(SYS_openat2)
  struct {
    uint64_t flags, mode, resolve;
  } how = {(uint64_t)flags, 0, 0x20 /* RESOLVE_CACHED */};
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
#else
  errno = ENOSYS;
  return -1;
#endif
}

ssize_t dragpipe_read_at_once(int descriptor, void *bytes, size_t count, int64_t offset) {
#if defined(RWF_NOWAIT)
  struct iovec buffer = {bytes, count};
  return preadv2(descriptor, &buffer, 1, offset, RWF_NOWAIT);
#else
  errno = ENOSYS;
  return -1;
#endif
}
