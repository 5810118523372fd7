package flaketap.hooks;

import java.io.Reader;
import java.util.List;
import java.util.Map;

/** What is called from org.json, whose objects are known by the names of their classes and methods alone. */
public final class OrgJson {
  private static final int PEEKED = 64;

  private OrgJson() {}

  /** A tokener was made, and has read nothing yet. */
  public static void made(Object tokener) {
    Busy.hook(() -> {
      Reader reader = (Reader) Looked.field(tokener, "reader");
      if (reader == null || !reader.markSupported()) return;
      char[] text = new char[PEEKED];
      reader.mark(PEEKED);
      int length = reader.read(text), at = 0;
      reader.reset();
      while (at < length && Character.isWhitespace(text[at])) at++;
      Known.put(tokener, Answer.behindBracket(text, at + 1, length));
    });
  }

  /** An object or a list was read by a tokener. Those within it come first, and get their places by the outermost. */
  public static void read(Object value, Object tokener) {
    Where where = Known.of(tokener);
    if (where != null) Busy.hook(() -> know(value, where, new int[] {Answer.MOST_VALUES}));
  }

  private static void know(Object value, Where where, int[] left) throws ReflectiveOperationException {
    if (value == null || left[0]-- <= 0 || where.depth > Where.MOST_DEPTH) return;
    if (value.getClass().getName().equals("org.json.JSONObject")) {
      Known.put(value, where);
      for (Map.Entry<?, ?> e : ((Map<?, ?>) Looked.field(value, "map")).entrySet()) know(e.getValue(), where.key((String) e.getKey()), left);
    } else if (value.getClass().getName().equals("org.json.JSONArray")) {
      Known.put(value, where);
      for (Object one : (List<?>) Looked.field(value, "myArrayList")) know(one, where.each(), left);
    }
  }

  /** An element of a list was asked for. */
  public static void element(Object list, String method) {
    Where where = Known.of(list);
    if (where != null) Busy.hook(() -> where.each().tell(Kinds.ofMethod(method)));
  }

  /** A member was asked for as one of an enum's constants. */
  public static void constants(Object object, Class<?> type, String name) {
    Where of = Known.of(object);
    if (of != null) Busy.hook(() -> Kinds.tellEnum(of.key(name), type, ""));
  }
}
