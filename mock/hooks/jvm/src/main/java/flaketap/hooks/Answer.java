package flaketap.hooks;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** One answer that was parsed: its mark, and what was told of it. */
final class Answer {
  static final int MOST_VALUES = 5000; // whose places are known
  private static final int MOST_READS = 500;
  private static final int BITS = 16;
  private static final File FILE = new File(String.valueOf(System.getenv("FLAKETAP_READS")));

  final int mark;
  private final Set<String> told = new HashSet<>();
  private final Set<String> described = new HashSet<>();

  private final Map<String, String> kinds = new HashMap<>();

  Answer(int mark) {
    this.mark = mark;
  }

  /** Appends a line to the file, before the API goes on: when its answer is here, so is what it read. */
  synchronized void tell(String line) {
    if (told.size() >= MOST_READS || !told.add(line) || !FILE.exists()) return;
    // It is not kept open: whom it is told to may go, and nothing is left then.
    try (OutputStream out = new FileOutputStream(FILE, true)) {
      out.write(line.getBytes(StandardCharsets.US_ASCII));
    } catch (IOException nobodyIsTold) {
      // The API goes on.
    }
  }

  /** Reports whether a place may be of a kind: the first one counts, as a method that asks for a kind calls others. */
  synchronized boolean takes(String path, String kind) {
    return kind == null || kinds.size() < MOST_READS && kind.equals(kinds.computeIfAbsent(path, p -> kind));
  }

  /** Reports whether a type at a place is described for the first time. */
  synchronized boolean begins(Where where, Object type) {
    return described.size() < MOST_READS && described.add(where + " " + type);
  }

  /** The answer whose first bracket stands before an index, and which is told to be read; null where it bears no mark. */
  static Where behindBracket(Object buffer, int index, int end) {
    if (index < 1 || index + BITS > end || index + BITS > length(buffer)) return null;
    int bracket = at(buffer, index - 1);
    if (bracket != '{' && bracket != '[') return null;
    int mark = 0;
    for (int i = 0; i < BITS; i++) {
      int c = at(buffer, index + i);
      if (c != ' ' && c != '\t') return null;
      mark = mark << 1 | (c == '\t' ? 1 : 0);
    }
    Where whole = new Where(new Answer(mark));
    whole.tell();
    return whole;
  }

  private static int length(Object buffer) {
    return buffer instanceof byte[] ? ((byte[]) buffer).length : buffer instanceof char[] ? ((char[]) buffer).length : 0;
  }

  private static int at(Object buffer, int index) {
    return buffer instanceof byte[] ? ((byte[]) buffer)[index] : ((char[]) buffer)[index];
  }
}
