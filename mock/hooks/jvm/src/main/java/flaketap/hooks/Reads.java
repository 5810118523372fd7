package flaketap.hooks;

/** What an API does with values whose place is known. */
final class Reads {
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

  /** Tells a member, whose name may be anything. */
  static void member(Where of, Object name) {
    if (of != null && name instanceof String) of.key((String) name).tell();
  }
}
