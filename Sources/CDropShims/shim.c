// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
// Everything is in the header; the package manager wants a source file.
#include "CDropShims.h"
