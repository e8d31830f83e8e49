"use strict";
// Files as one archive, as they are (PNGs are compressed already). The form is PKWARE's APPNOTE, sections 4.3.7, 4.3.12 and 4.3.16.
function zip(files) {
  const table = Uint32Array.from({ length: 256 }, (_, byte) => { for (let bit = 0; bit < 8; bit++) byte = byte & 1 ? 0xedb88320 ^ byte >>> 1 : byte >>> 1; return byte; });
  const check = bytes => ~bytes.reduce((sum, byte) => sum >>> 8 ^ table[(sum ^ byte) & 255], -1) >>> 0;
  const numbers = (...list) => Uint8Array.from(list.flatMap(([value, bytes]) => Array.from({ length: bytes }, (_, at) => value >>> 8 * at & 255)));
  const parts = [], index = [];
  let offset = 0;
  for (const [name, content] of files) {
    const path = new TextEncoder().encode(name), bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    // Names in UTF-8; the date is the first that can be written, because it says nothing.
    const common = numbers([20, 2], [0x800, 2], [0, 2], [0, 2], [0x21, 2], [check(bytes), 4], [bytes.length, 4], [bytes.length, 4], [path.length, 2], [0, 2]);
    parts.push(numbers([0x04034b50, 4]), common, path, bytes);
    index.push(numbers([0x02014b50, 4], [20, 2]), common, numbers([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]), path);
    offset += 4 + common.length + path.length + bytes.length;
  }
  const length = index.reduce((sum, part) => sum + part.length, 0);
  const end = numbers([0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [length, 4], [offset, 4], [0, 2]);
  return new Blob([...parts, ...index, end], { type: "application/zip" });
}
