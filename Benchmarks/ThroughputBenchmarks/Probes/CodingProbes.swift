// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DragPipe
import FoundationEssentials
import HeroCards

/// Probes of the coders, with one message for each item, or one array of all of them.
enum CodingProbes {
  static let all = [
    encoding("coding/hero encoded") { HeroFixtures.heroes(20).map(PlainHero.init) },
    decoding("coding/hero decoded") { HeroFixtures.heroes(20).map(PlainHero.init) },
    encoding("coding/hero encoded, by fields") { HeroFixtures.heroes(20) },
    decoding("coding/hero decoded, by fields") { HeroFixtures.heroes(20) },
    encoding("coding/card encoded") { HeroFixtures.cards(20).map(PlainCard.init) },
    decoding("coding/card decoded") { HeroFixtures.cards(20).map(PlainCard.init) },
    Probe("coding/number in an array encoded", 20_000, 120_000) { count, most in
      let numbers = Array(NumberFixtures.doubles(most).prefix(count))
      return Probe.Work { burden in
        for _ in numbers { burden.carry() }
        keep(try CBOREncoder().encode(numbers))
      }
    },
    Probe("coding/hero read from JSON") { count, _ in
      let texts = try HeroFixtures.heroes(20).map { hero in
        var writer = HeroWriter(style: .lines)
        try writer.append(hero)
        return Data(",".utf8) + writer.takeBytes().dropLast()
      }
      return Probe.Work { burden in
        var reader = HeroReader()
        reader.append(Data(#"[{"id":1}"#.utf8))
        keep(try reader.next())
        for number in 0..<count {
          reader.append(texts[number % texts.count])
          keep(try reader.next())
          burden.carry()
        }
      }
    },
    // In a debug build, a hero takes over 200 allocations, of which the tolerance allows three.
    Probe("coding/hero written to JSON", burden: 4) { count, _ in
      let heroes = HeroFixtures.heroes(20)
      return Probe.Work { burden in
        var writer = HeroWriter()
        for number in 0..<count {
          try writer.append(heroes[number % heroes.count])
          keep(writer.takeBytes())
          burden.carry()
        }
      }
    },
  ]

  private static func encoding<Value: Codable & Sendable>(
    _ name: String, _ values: @escaping @Sendable () -> [Value]
  ) -> Probe {
    Probe(name) { count, _ in
      let (values, encoder) = (values(), CBOREncoder())
      return Probe.Work { burden in
        for number in 0..<count {
          keep(try encoder.encode(values[number % values.count]))
          burden.carry()
        }
      }
    }
  }

  private static func decoding<Value: Codable & Sendable>(
    _ name: String, _ values: @escaping @Sendable () -> [Value]
  ) -> Probe {
    Probe(name) { count, _ in
      let decoder = CBORDecoder()
      let messages = try values().map { try CBOREncoder().encode($0) }
      return Probe.Work { burden in
        for number in 0..<count {
          keep(try decoder.decode(Value.self, from: messages[number % messages.count]))
          burden.carry()
        }
      }
    }
  }
}
