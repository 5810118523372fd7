package flaketap.hooks;

/** A place within an answer, whether something is there or not. */
final class Where {
  static final int MOST_DEPTH = 32;
  static final int MOST_TYPES = 8; // that are described within each other
  private static final int MOST_NAME = 200;

  final Answer answer;
  final int depth;
  private final Where parent;
  private final String name; // null for an element of a list

  /** The answer as a whole. */
  Where(Answer answer) {
    this(answer, null, null);
  }

  private Where(Answer answer, Where parent, String name) {
    this.answer = answer;
    this.parent = parent;
    this.name = name;
    this.depth = parent == null ? 0 : parent.depth + 1;
  }

  Where key(String name) {
    return new Where(answer, this, name);
  }

  Where each() {
    return new Where(answer, this, null);
  }

  /** Tells that the place was read. */
  void tell() {
    tell(null, null);
  }

  /** Tells that the place was read, as what: a kind of JSON, or integer; null where that does not show. */
  void tell(String kind) {
    tell(kind, null);
  }

  /** The same, with a text that the place may have. */
  void tell(String kind, Object value) {
    if (depth > MOST_DEPTH) return;
    StringBuilder path = new StringBuilder();
    for (Where w = this; w.parent != null; w = w.parent) {
      if (w.name != null && w.name.length() > MOST_NAME) return;
      if (path.length() > 0) path.insert(0, ',');
      path.insert(0, w.name == null ? "0" : Text.quoted(w.name));
    }
    if (!answer.takes(path.toString(), kind)) return;
    answer.tell("{\"mark\":" + answer.mark + ",\"path\":[" + path + "]"
        + (kind == null ? "" : ",\"kind\":\"" + kind + "\"")
        + (value == null ? "" : ",\"value\":" + Text.quoted(value.toString())) + "}\n");
  }

  @Override
  public String toString() {
    return parent == null ? "" : parent + "/" + (name == null ? "0" : name);
  }
}
