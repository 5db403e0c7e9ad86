// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The same uses as in the other tests of Apple's members, compiled as Swift 5 without a warning.
@Suite(.serialized, .limited) struct AppleMembersSwift5Tests {
  @Test("every member that is said to be there does what it says in Swift 5, too")
  func uses() async throws {
    for member in ProviderMembers.all + TransferableMembers.all + TypeMembers.all {
      guard let use = member.use else { continue }
      let isAsDocumented = try await use()
      #expect(isAsDocumented, "\(member.owner).\(member.name)")
    }
  }

  @Test("members can be overridden, and a program's own wrappers are taken")
  func subclasses() async throws {
    let isWell = try await subclassesWork()
    #expect(isWell)
  }
}
