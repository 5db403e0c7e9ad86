// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension PlainHero: HandCodable {
  init(from reader: inout HandReader) {
    id = reader.number()
    name = reader.text()
    description = reader.text()
    modified = reader.optionalText()
    thumbnail = Image(path: reader.text(), fileExtension: reader.text())
    resourceURI = reader.text()
    comics = References(from: &reader)
    series = References(from: &reader)
    stories = References(from: &reader)
    events = References(from: &reader)
    urls = reader.values()
  }

  func write(to writer: inout HandWriter) {
    writer.write(id)
    writer.write(name)
    writer.write(description)
    writer.write(modified)
    writer.write(thumbnail.path)
    writer.write(thumbnail.fileExtension)
    writer.write(resourceURI)
    comics.write(to: &writer)
    series.write(to: &writer)
    stories.write(to: &writer)
    events.write(to: &writer)
    writer.write(urls)
  }
}

extension PlainHero.References: HandCodable {
  init(from reader: inout HandReader) {
    available = reader.number()
    collectionURI = reader.text()
    items = reader.values()
    returned = reader.number()
  }

  func write(to writer: inout HandWriter) {
    writer.write(available)
    writer.write(collectionURI)
    writer.write(items)
    writer.write(returned)
  }
}

extension PlainHero.Reference: HandCodable {
  init(from reader: inout HandReader) {
    resourceURI = reader.text()
    name = reader.text()
    type = reader.optionalText()
  }

  func write(to writer: inout HandWriter) {
    writer.write(resourceURI)
    writer.write(name)
    writer.write(type)
  }
}

extension PlainHero.Link: HandCodable {
  init(from reader: inout HandReader) {
    type = reader.text()
    url = reader.text()
  }

  func write(to writer: inout HandWriter) {
    writer.write(type)
    writer.write(url)
  }
}

extension PlainCard: HandCodable {
  init(from reader: inout HandReader) {
    content = reader.text()
    column = reader.optionalText()
  }

  func write(to writer: inout HandWriter) {
    writer.write(content)
    writer.write(column)
  }
}
