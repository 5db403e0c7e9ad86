// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// Prints how many of 100 structures run their `deinit`: with optimization, Swift 6.3 runs it for none of them. The
// structure is generic and noncopyable, and a Mutex holds it. Debug builds run all.

import Synchronization

final class Counter: Sendable {
  let count = Mutex(0)
}

struct Owner<Value>: ~Copyable {
  private var value: Value
  private let counter: Counter

  init(_ value: Value, _ counter: Counter) {
    self.value = value
    self.counter = counter
  }

  mutating func use() { withUnsafeMutablePointer(to: &value) { _ in } }

  deinit {
    counter.count.withLock { $0 += 1 }
  }
}

final class User<Value>: Sendable {
  private let owner: Mutex<Owner<Value>>

  init(_ value: sending Value, _ counter: Counter) {
    owner = Mutex(Owner(value, counter))
  }

  func use() { owner.withLock { $0.use() } }
}

let counter = Counter()
for number in 0..<100 { User(number, counter).use() }
print(counter.count.withLock { $0 })
