// Unpacks ZIP archives with several statements, so each is a file of the queue.
// The server reads backups and archives with one file itself.

const maxEntries = 200;
const maxBytes = 64 << 20; // of all files of an archive
const endBytes = 22; // of the record at the end, without its comment
const maxComment = 0xffff;

interface Entry {
  path: string;
  isEncrypted: boolean;
  isDeflated: boolean;
  at: number; // of its header in the archive
  packedBytes: number;
  bytes: number;
}

/** Returns the files with archives replaced by what they contain. An archive that can't be unpacked here stays. */
export async function unpackArchives(files: File[]): Promise<File[]> {
  const unpacked = files.map(async (file) => (await unpack(file).catch(() => null)) ?? [file]);
  return (await Promise.all(unpacked)).flat();
}

/** Returns the statements in an archive, or null if it is for the server. */
async function unpack(file: File): Promise<File[] | null> {
  if (!/\.zip$/i.test(file.name)) return null;
  const entries = await listEntries(file);
  const isForServer = (e: Entry) => e.isEncrypted || /^(backup\.json$|xl\/|\[content_types])/i.test(e.path);
  const statements = entries.filter(({ path }) => isStatement(path));
  const bytes = statements.reduce((sum, e) => sum + e.bytes, 0);
  if (entries.some(isForServer) || statements.length < 2 || bytes > maxBytes) return null;
  return Promise.all(statements.map((entry) => extract(file, entry)));
}

/** Reports by the name whether an entry is meant to be imported. The copies a Mac adds are not. */
function isStatement(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return !/^__macosx\//i.test(path) && /^[^.].*\.(csv|tsv|txt|xlsx|xml|html?)$/i.test(name);
}

async function read(file: Blob, from: number, to?: number): Promise<DataView> {
  return new DataView(await file.slice(from, to).arrayBuffer());
}

/** Reads the directory at the end of an archive. Throws if it is damaged or too large. */
async function listEntries(file: File): Promise<Entry[]> {
  const tail = await read(file, Math.max(0, file.size - endBytes - maxComment));
  let end = tail.byteLength - endBytes;
  while (tail.getUint32(end, true) !== 0x06054b50) end--;
  const count = tail.getUint16(end + 10, true);
  const start = tail.getUint32(end + 16, true);
  const directory = await read(file, start, start + tail.getUint32(end + 12, true));
  if (count > maxEntries) throw new Error('too many entries');
  const entries: Entry[] = [];
  for (let at = 0; entries.length < count;) {
    if (directory.getUint32(at, true) !== 0x02014b50) throw new Error('damaged directory');
    const nameBytes = directory.getUint16(at + 28, true);
    const method = directory.getUint16(at + 10, true);
    if (method !== 0 && method !== 8) throw new Error(`compression ${method}`);
    entries.push({
      path: new TextDecoder().decode(new Uint8Array(directory.buffer, at + 46, nameBytes)),
      isEncrypted: (directory.getUint16(at + 8, true) & 1) === 1,
      isDeflated: method === 8,
      at: directory.getUint32(at + 42, true),
      packedBytes: directory.getUint32(at + 20, true),
      bytes: directory.getUint32(at + 24, true),
    });
    at += 46 + nameBytes + directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true);
  }
  return entries;
}

async function extract(file: File, entry: Entry): Promise<File> {
  const header = await read(file, entry.at, entry.at + 30);
  const start = entry.at + 30 + header.getUint16(26, true) + header.getUint16(28, true);
  const packed = file.slice(start, start + entry.packedBytes);
  const content = entry.isDeflated
    ? await new Response(packed.stream().pipeThrough(new DecompressionStream('deflate-raw'))).blob()
    : packed;
  if (content.size !== entry.bytes) throw new Error(`damaged entry ${entry.path}`);
  return new File([content], entry.path.slice(entry.path.lastIndexOf('/') + 1));
}
