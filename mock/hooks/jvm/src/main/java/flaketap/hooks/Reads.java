package flaketap.hooks;

/** What an API does with values whose place is known. */
public final class Reads {
  /** The value that each thread was given last for a place, where all places share one: nothing, null, true, small numbers. */
  private static final ThreadLocal<Shared> SHARED = ThreadLocal.withInitial(Shared::new);

  private Reads() {}

  private static final class Shared {
    Object value;
    Where where; // null where it was given for several
  }

  /** Takes notice of a value that a thread was given for a place, and that is no value's own. */
  static void given(Object value, Where where) {
    Shared last = SHARED.get();
    last.where = last.value == value && last.where != null && !last.where.toString().equals(where.toString()) ? null : where;
    last.value = value;
  }

  /** The place of a value, or of what all places share, if this thread was given it for one place alone. */
  static Where of(Object value) {
    Where where = Known.of(value);
    Shared last = SHARED.get();
    if (where != null || last.value != value) return where;
    last.value = null;
    return last.where;
  }

  /** A member of an object was asked for, or a key of a map. */
  public static void member(Object object, Object name, String method) {
    Where of = Known.of(object);
    if (of != null && name instanceof String) Busy.hook(() -> of.key((String) name).tell(Kinds.ofMethod(method)));
  }

  /** A value was taken for something. */
  public static void kind(Object value, String method) {
    Where where = Known.of(value);
    if (where != null) Busy.hook(() -> where.tell(Kinds.ofMethod(method)));
  }
}
