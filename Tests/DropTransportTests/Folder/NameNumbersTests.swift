// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct NameNumbersTests {
  /// Assigns numbers to items with these names, and records the final names.
  private func names(of items: [[String]], taken: Set<[UInt8]> = []) -> (names: [[String]], questions: Int) {
    var taken = taken
    var numbers = NameNumbers()
    var questions = 0
    let names = items.map { item in
      let wishes = WishedName.list(item)
      let number = numbers.take(for: wishes) { name in
        questions += 1
        return !taken.contains(Array(name.utf8))
      }
      let names = wishes.map { $0.name(number) }
      taken.formUnion(names.map { Array($0.utf8) })
      return names
    }
    return (names, questions)
  }

  @Test("numbering thousands of items checks one name for each item")
  func numberingChecksOneNameForEachItem() {
    let (names, questions) = names(of: Array(repeating: ["a.txt"], count: 5000))
    #expect(names.first == ["a-2.txt"])
    #expect(names.last == ["a-5001.txt"])
    #expect(questions == 5000)
  }

  @Test("each taken name is checked once")
  func eachTakenNameIsCheckedOnce() {
    let (names, questions) = names(
      of: Array(repeating: ["a"], count: 3), taken: [Array("a-2".utf8), Array("a-4".utf8)])
    #expect(names == [["a-3"], ["a-5"], ["a-6"]])
    #expect(questions == 5)
  }

  @Test("an item of several parts gets one number that is free for all parts")
  func partsOfAnItemGetOneNumberThatIsFreeForAll() {
    let item = ["a.html", "a.txt", "a.txt"]
    let (names, _) = names(of: [item, item, ["a.txt"], ["a.html"]], taken: [Array("a-3.html".utf8)])
    #expect(
      names == [
        ["a-2.html", "a-2.txt", "a-3.txt"], ["a-4.html", "a-4.txt", "a-5.txt"], ["a-6.txt"], ["a-5.html"],
      ])
  }

  @Test("a returned number is used next")
  func returnedNumberIsUsedNext() {
    let wishes = WishedName.list(["a"])
    var numbers = NameNumbers()
    #expect(numbers.take(for: wishes) { _ in true } == 2)
    #expect(numbers.take(for: wishes) { _ in true } == 3)
    numbers.giveBack(3, of: wishes[0])
    #expect(numbers.take(for: wishes) { _ in true } == 3)
    // Number 1 stands for the name without a number.
    numbers.giveBack(1, of: wishes[0])
    #expect(numbers.take(for: wishes) { _ in true } == 4)
  }

  @Test("names that only look alike are numbered separately")
  func namesThatOnlyLookAlikeAreNumberedSeparately() {
    let (names, questions) = names(of: [["\u{E9}"], ["e\u{301}"], ["\u{E9}"]])
    #expect(names.map { Array($0[0].utf8) }[1] == Array("e\u{301}-2".utf8))
    #expect(names[2] == ["\u{E9}-3"])
    #expect(questions == 3)
  }

  @Test("a name that ends in a number is numbered like any name")
  func nameThatEndsInANumberIsNumberedLikeAnyName() {
    #expect(names(of: [["a-2"], ["a"], ["a-2"]]).names == [["a-2-2"], ["a-2"], ["a-2-3"]])
  }
}
