// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CDropShims.h"

#include <signal.h>
#include <sys/vfs.h>
#include <sys/xattr.h>

int dragpipe_is_shared_with_machines(int descriptor) {
  struct statfs status;
  if (fstatfs(descriptor, &status) != 0) return 1;
  switch ((uint32_t)status.f_type) {
    case 0x00006969: /* NFS */
    case 0x0000517B: /* SMB */
    case 0xFF534D42: /* CIFS */
    case 0xFE534D42: /* SMB 2 */
    case 0x65735546: /* FUSE, such as sshfs and virtiofs */
    case 0x01021997: /* 9P */
    case 0x00C36400: /* Ceph */
    case 0x5346414F: /* AFS */
    case 0x6B414653: /* AFS of the kernel */
    case 0x73757245: /* Coda */
    case 0x01161970: /* GFS2 */
    case 0x7461636F: /* OCFS2 */
    case 0x0BD00BD0: /* Lustre */
    case 0x47504653: /* GPFS */
    case 0x786F4256: /* VirtualBox */
      return 1;
    default: return 0;
  }
}

int dragpipe_is_open_for_writing(int descriptor) {
  // A read lease is granted only while no process writes. A program that opens the file in this moment waits for the
  // end of the lease. The kernel then sends a signal: SIGURG, which is ignored by default, in place of SIGIO.
  if (fcntl(descriptor, F_SETSIG, SIGURG) == -1) return 0;
  if (fcntl(descriptor, F_SETLEASE, F_RDLCK) == -1) return errno == EAGAIN;
  fcntl(descriptor, F_SETLEASE, F_UNLCK);
  return 0;
}

ssize_t dragpipe_get_attribute(const char *path, const char *name, void *value, size_t count) {
  return getxattr(path, name, value, count);
}

ssize_t dragpipe_list_attributes(int descriptor, char *names, size_t count) {
  return flistxattr(descriptor, names, count);
}

ssize_t dragpipe_read_attribute(int descriptor, const char *name, void *value, size_t count) {
  return fgetxattr(descriptor, name, value, count);
}

int dragpipe_set_attribute(int descriptor, const char *name, const void *value, size_t count) {
  return fsetxattr(descriptor, name, value, count, 0);
}

int dragpipe_open_beneath(int directory, const char *path, int flags) {
#if defined(SYS_openat2)
  struct {
    uint64_t flags, mode, resolve;
  } how = {(uint64_t)flags, 0, 0x08 /* RESOLVE_BENEATH */ | 0x04 /* RESOLVE_NO_SYMLINKS */};
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
#else
  errno = ENOSYS;
  return -1;
#endif
}
