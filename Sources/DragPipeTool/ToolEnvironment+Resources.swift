// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import Glibc
internal import ItemTransfer

/// What the libraries that run tasks need of the system. They crash, or wait in silence, where they do not get it.
extension ToolEnvironment {
  /// Free descriptors that a command needs at least: those of libraries, and some of its own.
  private static let leastDescriptors = 16
  /// Descriptors that are left to libraries: libdispatch has up to five, and opens another one for a moment.
  private static let reservedDescriptors = 8
  /// Address space that a command needs at least, beyond what the program itself takes.
  private static let leastAddressSpace = 32 << 20
  /// A process that may have more address space than that need not save any.
  private static let ampleAddressSpace = 4 << 30
  // In bytes. Coders need a fraction of it at their limits of depth.
  private static let smallStack = 1 << 20

  /// Keeps descriptors for the libraries that run tasks, and ends the process with one line where there are too few.
  ///
  /// To be called before the first task, with the standard descriptors open.
  public static func reserveDescriptors() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    var free = freeDescriptors()
    // Each time by a little; some of the numbers that are won may be in use already.
    while free.count < leastDescriptors, limit.rlim_cur < limit.rlim_max {
      // No more than that: what is run by the tool has the same limit.
      limit.rlim_cur = min(limit.rlim_cur + rlim_t(leastDescriptors), limit.rlim_max)
      guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { break }
      free = freeDescriptors()
    }
    guard free.count >= leastDescriptors else {
      end("no more than \(free.count) of \(limit.rlim_cur) descriptors are free, and it takes \(leastDescriptors)")
    }
    let isAll = free.count < probeCount
    let end = limit.rlim_cur < rlim_t(CInt.max) ? CInt(limit.rlim_cur) : .max
    DescriptorReserve.begin(at: isAll ? free[free.count - reservedDescriptors] : end - CInt(reservedDescriptors))
  }

  private static let probeCount = 64

  /// The lowest descriptors that are free, up to ``probeCount``, in ascending order.
  private static func freeDescriptors() -> [CInt] {
    var probes: [CInt] = []
    while probes.count < probeCount {
      let probe = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard probe != -1 else { break }
      probes.append(probe)
    }
    for probe in probes { close(probe) }
    return probes
  }

  /// Makes threads take less address space where the process may not have much, and ends the process with one line where
  /// there is too little.
  ///
  /// A thread takes 8 MB for its stack as a rule, and 64 MB for a heap of its own. libdispatch tries once a second, in
  /// silence, to start a thread for which there is no room. To be called before the second thread starts.
  public static func saveAddressSpace() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < ampleAddressSpace else {
      return
    }
    SystemCalls.saveAddressSpace(stackSize: smallStack)
    let probe = mmap(nil, leastAddressSpace, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard probe != MAP_FAILED else {
      let megabytes = limit.rlim_cur >> 20
      end("the limit of \(megabytes) MiB of address space leaves less than \(leastAddressSpace >> 20) MiB free")
    }
    munmap(probe, leastAddressSpace)
  }

  private static func end(_ reason: String) -> Never {
    ToolEnvironment().note(reason)
    exit(ToolExitCode.inputOutput.rawValue)
  }
}
