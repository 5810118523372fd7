package flaketap;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.zip.CRC32;

/** Digests of bytes, by the names that the tests use. */
final class Digest {
  private static final Map<String, String> NAMES =
      Map.of("md5", "MD5", "sha1", "SHA-1", "sha256", "SHA-256", "sha512", "SHA-512");

  private Digest() {}

  static byte[] of(String kind, byte[] content) {
    if (kind.equals("crc32")) {
      CRC32 sum = new CRC32();
      sum.update(content);
      return ByteBuffer.allocate(Integer.BYTES).putInt((int) sum.getValue()).array();
    }
    try {
      return MessageDigest.getInstance(NAMES.get(kind)).digest(content);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has them
    }
  }

  /** Whether a text holds a digest in hex, or so many digits of that, or else in base64. */
  static boolean isIn(String text, byte[] digest, int digits) {
    String hex = HexFormat.of().formatHex(digest);
    if (text.toLowerCase(Locale.ROOT).contains(digits > 0 ? hex.substring(0, digits) : hex)) {
      return true;
    }
    String base64 = Base64.getEncoder().withoutPadding().encodeToString(digest);
    return digits == 0 && text.replace('-', '+').replace('_', '/').contains(base64);
  }
}
