// Makes ZIP files for tests.

import { crc32, deflateRawSync } from 'node:zlib';

const entryBytes = 30; // of an entry's header
const listedBytes = 46; // of its line in the directory

export function zip(files: Record<string, string>): Buffer {
  const entries: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const path = Buffer.from(name);
    const content = Buffer.from(text);
    const packed = deflateRawSync(content);
    const describe = (header: Buffer, from: number) => {
      header.writeUInt16LE(20, from); // the version that can read it
      header.writeUInt16LE(8, from + 4); // deflated
      header.writeUInt32LE(crc32(content), from + 10);
      header.writeUInt32LE(packed.length, from + 14);
      header.writeUInt32LE(content.length, from + 18);
      header.writeUInt16LE(path.length, from + 22);
      return header;
    };
    const entry = describe(Buffer.alloc(entryBytes), 4);
    entry.writeUInt32LE(0x04034b50);
    const listed = describe(Buffer.alloc(listedBytes), 6);
    listed.writeUInt32LE(0x02014b50);
    listed.writeUInt32LE(at, 42);
    entries.push(entry, path, packed);
    directory.push(listed, path);
    at += entryBytes + path.length + packed.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...entries, ...directory, end]);
}
