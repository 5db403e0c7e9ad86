// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import ItemTransfer

// swift-format-ignore: NoLeadingUnderscores
/// The name by which Apple's CoreTransferable knows what `exportingCondition(_:)` returns.
public typealias _ConditionalTransferRepresentation = ConditionalRepresentation
