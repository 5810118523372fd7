// Which values are digests: part of the library of tests that flaketap writes. The answer computes the digests that the
// language has not.

const { shown } = require("./json");
const { textAt } = require("./places");

/**
 * Why the text at a place of an answer does not hold the digest of the text at another: "md5", "/body". It is there in
 * hex, or so many digits of that, or else in base64. What begins with = is no place, but a text that is known: "=tea".
 * /body is the body as it came.
 */
function digestComplaint(answer, place, kind, of, digits) {
  const content =
    of === "/body"
      ? answer.body
      : Buffer.from(of.startsWith("=") ? of.slice(1) : textAt(answer, of));
  const hex = kind === "crc32" ? crc32(content) : answer.hash(kind, content);
  const base64 = Buffer.from(hex, "hex").toString("base64").replace(/=+$/, "");
  const text = textAt(answer, place);
  const holds =
    text.toLowerCase().includes(hex.slice(0, digits)) ||
    (digits === undefined &&
      text.replace(/-/g, "+").replace(/_/g, "/").includes(base64));
  return holds ? "" : `${place}: ${shown(text)} is not the ${kind} of ${of}`;
}

/** The checksum of some bytes in hex (ISO 3309). */
function crc32(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
    }
  }
  return (~sum >>> 0).toString(16).padStart(8, "0");
}

module.exports = { digestComplaint };
