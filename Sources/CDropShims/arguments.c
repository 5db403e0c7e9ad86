// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
#include "CDropShims.h"

#include <stdlib.h>
#include <unistd.h>

#if defined(__GLIBC__)
static int count;
static char **words;

// Runs before the constructors of Swift's runtime. In a static program, the runtime looks for its own file in /proc, and
// ends the program if /proc is missing, unless it has a root directory.
__attribute__((constructor(101))) static void note_arguments(int argument_count, char **arguments) {
  count = argument_count;
  words = arguments;
  if (access("/proc/self/exe", F_OK) != 0) setenv("SWIFT_ROOT", "/", 0);
}

char **dragpipe_arguments(int *argument_count) {
  *argument_count = count;
  return words;
}
#else
char **dragpipe_arguments(int *argument_count) {
  *argument_count = 0;
  return NULL;
}
#endif
