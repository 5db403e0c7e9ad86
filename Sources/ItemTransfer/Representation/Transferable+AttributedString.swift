// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

extension AttributedString: Transferable {
  /// The characters as text, both ways as `String` has it; attributes stay behind.
  ///
  /// Outside of Apple's systems `AttributedString` is not `Codable`, and its attributes have no form of bytes that
  /// another program could read.
  public static var transferRepresentation: some TransferRepresentation {
    ProxyRepresentation {
      String($0.characters)
    } importing: {
      AttributedString($0)
    }
  }
}
