package flaketap.hooks;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.ConcurrentHashMap;

/** Which objects are of which place of which answer, as long as the API has them: values, and what reads them. */
final class Known {
  private static final int MOST = 200_000;
  private static final ConcurrentHashMap<Key, Where> all = new ConcurrentHashMap<>();
  private static final ReferenceQueue<Object> gone = new ReferenceQueue<>();

  private Known() {}

  static void put(Object object, Where where) {
    for (Reference<?> r; (r = gone.poll()) != null; ) all.remove(r);
    if (object != null && where != null && all.size() < MOST) all.put(new Key(object, gone), where);
  }

  /** The place of an object; null where it is of no answer. */
  static Where of(Object object) {
    return object == null || all.isEmpty() ? null : all.get(new Key(object, null));
  }

  /** An object by its identity. */
  private static final class Key extends WeakReference<Object> {
    private final int hash;

    Key(Object object, ReferenceQueue<Object> gone) {
      super(object, gone);
      hash = System.identityHashCode(object);
    }

    @Override
    public int hashCode() {
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      if (this == other) return true;
      Object mine = get();
      return mine != null && other instanceof Key && ((Key) other).get() == mine;
    }
  }
}
