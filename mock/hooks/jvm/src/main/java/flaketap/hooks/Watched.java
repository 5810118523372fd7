package flaketap.hooks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;

/** A map of an answer, which tells what is asked of it; else it is the LinkedHashMap in whose place it stands. */
public final class Watched extends LinkedHashMap<Object, Object> {
  private static final long serialVersionUID = 1;

  private final transient Where where;

  private Watched(Map<?, ?> of, Where where) {
    super(of);
    this.where = where;
  }

  /** The value with maps that tell their reads in the place of those that do not. */
  static Object in(Object value, Where where) {
    if (where.depth > Where.MOST_DEPTH || value == null) return value;
    if (value.getClass() == LinkedHashMap.class) {
      Watched out = new Watched((Map<?, ?>) value, where);
      Known.put(out, where); // it may be converted to an object of a class
      for (Map.Entry<Object, Object> e : out.entrySet()) {
        if (e.getKey() instanceof String) e.setValue(in(e.getValue(), where.key((String) e.getKey())));
      }
      return out;
    }
    if (value.getClass() == java.util.ArrayList.class) {
      Known.put(value, where);
      @SuppressWarnings("unchecked")
      ListIterator<Object> all = ((List<Object>) value).listIterator();
      while (all.hasNext()) all.set(in(all.next(), where.each()));
    }
    return value;
  }

  private void asked(Object name) {
    if (where != null && name instanceof String) Busy.hook(() -> where.key((String) name).tell());
  }

  @Override
  public Object get(Object name) {
    asked(name);
    return super.get(name);
  }

  @Override
  public Object getOrDefault(Object name, Object otherwise) {
    asked(name);
    return super.getOrDefault(name, otherwise);
  }

  @Override
  public boolean containsKey(Object name) {
    asked(name);
    return super.containsKey(name);
  }

  @Override
  public Object remove(Object name) {
    asked(name);
    return super.remove(name);
  }

  private Object writeReplace() {
    return new LinkedHashMap<>(this);
  }
}
