// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DragPipe
import FoundationEssentials
import HeroCards
import UniformTypes

/// Probes of item providers and types within one process.
enum ObjectProbes {
  static let all = [
    Probe("providers/registered and loaded") { count, _ in
      let text = Data(repeating: 0x78, count: 100)
      return Probe.Work { burden in
        for _ in 0..<count {
          let provider = ItemProvider()
          provider.register(.utf8PlainText) { _ in text }
          keep(try await provider.data(for: .text))
          burden.carry()
        }
      }
    },
    Probe("providers/card in and out") { count, _ in
      let cards = HeroFixtures.cards(20)
      return Probe.Work { burden in
        for number in 0..<count {
          keep(try await ItemProvider(cards[number % cards.count]).value(as: Card.self))
          burden.carry()
        }
      }
    },
    Probe("registry/by filename extension", 2000, 12_000) { count, _ in
      let known = ["png", "txt", "mp4", "JPG", "gz", "swift", "yaml", "heic"]
      return Probe.Work { burden in
        for number in 0..<count {
          keep(UTType(filenameExtension: known[number & 7])?.identifier.utf8.count)
          burden.carry()
        }
      }
    },
    Probe("registry/by an extension declared here", 2000, 12_000) { count, _ in
      TypeRegistry.shared.declare([
        TypeDeclaration("org.dragpipe.probe", conformsTo: ["public.json"], tags: [.filenameExtension: ["probe"]])
      ])
      return Probe.Work { burden in
        for _ in 0..<count {
          keep(UTType(filenameExtension: "probe")?.identifier.utf8.count)
          burden.carry()
        }
      }
    },
    Probe("registry/by an undeclared extension", 2000, 12_000) { count, _ in
      Probe.Work { burden in
        for number in 0..<count {
          keep(UTType(filenameExtension: number & 1 == 0 ? "saga" : "runes")?.identifier.utf8.count)
          burden.carry()
        }
      }
    },
    Probe("registry/conforms", 2000, 12_000) { count, _ in
      let (csv, text, archive) = (UTType.commaSeparatedText, UTType.text, UTType.archive)
      return Probe.Work { burden in
        for _ in 0..<count {
          keep(csv.conforms(to: text) && !csv.conforms(to: archive))
          burden.carry()
        }
      }
    },
  ]
}
