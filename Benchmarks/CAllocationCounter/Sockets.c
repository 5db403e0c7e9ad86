// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
// Counts calls on sockets, which the kernel does not include in /proc/self/io.
#define _GNU_SOURCE
#include "CAllocationCounter.h"
#include "Counting.h"

#if defined(__linux__)
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

static _Atomic uint64_t calls;
static _Atomic uint64_t bytes;

uint64_t socket_calls(void) { return atomic_load_explicit(&calls, memory_order_relaxed); }

uint64_t socket_bytes(void) { return atomic_load_explicit(&bytes, memory_order_relaxed); }

#if defined(__GLIBC__) && defined(__LP64__)
// Failed calls are not counted: how often a thread looks for bytes before it sleeps depends on the machine.
static ssize_t counted(long result) {
  if (is_counting() && result >= 0) {
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, (uint64_t)result, memory_order_relaxed);
  }
  return (ssize_t)result;
}

ssize_t recv(int socket, void *buffer, size_t length, int flags) {
  return counted(syscall(SYS_recvfrom, socket, buffer, length, flags, NULL, NULL));
}

ssize_t send(int socket, const void *buffer, size_t length, int flags) {
  return counted(syscall(SYS_sendto, socket, buffer, length, flags, NULL, 0));
}

ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
  return counted(syscall(SYS_recvmsg, socket, message, flags));
}

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
  return counted(syscall(SYS_sendmsg, socket, message, flags));
}
#endif
