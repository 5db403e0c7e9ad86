// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
#include "CDropShims.h"

#include <malloc.h>
#include <pthread.h>

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
