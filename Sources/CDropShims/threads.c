// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
#include "CDropShims.h"

#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>

void dragpipe_save_address_space(size_t stack) {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 1);
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  if (pthread_attr_setstacksize(&attributes, stack) == 0) pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
#else
  (void)stack;
#endif
}

#ifndef DRAGPIPE_COMMIT
#define DRAGPIPE_COMMIT ""
#endif

const char *dragpipe_commit(void) { return DRAGPIPE_COMMIT; }

static _Thread_local bool may_block;

bool dragpipe_thread_may_block(void) { return may_block; }

void dragpipe_set_thread_may_block(bool value) { may_block = value; }

static int has_loader(struct dl_phdr_info *program, size_t size, void *result) {
  (void)size;
  for (int index = 0; index < program->dlpi_phnum; index++)
    if (program->dlpi_phdr[index].p_type == PT_INTERP) *(int *)result = 1;
  // The program is the first object; libraries follow.
  return 1;
}

int dragpipe_has_loader(void) {
  int result = 0;
  dl_iterate_phdr(has_loader, &result);
  return result;
}

const char *dragpipe_probe_event_queue(void) {
  const char *failed = NULL;
  struct epoll_event event = {.events = EPOLLIN};
  int queue = epoll_create1(EPOLL_CLOEXEC), wakeup = -1, timer = -1;
  if (queue < 0)
    failed = "epoll_create1";
  else if ((wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
    failed = "eventfd";
  else if ((timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) < 0)
    failed = "timerfd_create";
  else if (epoll_ctl(queue, EPOLL_CTL_ADD, wakeup, &event) < 0 || epoll_ctl(queue, EPOLL_CTL_ADD, timer, &event) < 0)
    failed = "epoll_ctl";
  int error = errno;
  if (timer >= 0) close(timer);
  if (wakeup >= 0) close(wakeup);
  if (queue >= 0) close(queue);
  errno = error;
  return failed;
}
