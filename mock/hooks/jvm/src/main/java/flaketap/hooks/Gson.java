package flaketap.hooks;

import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What is called from Gson, whose objects are known by the names of their classes and methods alone. */
public final class Gson {
  private static final String PACKAGE = "com.google.gson.";

  private Gson() {}

  /** A reader has begun with the first object or list, and stands behind the bracket. */
  public static void begun(Object reader, char[] buffer, int index, int end) {
    Busy.hook(() -> {
      if (Known.of(reader) == null) Known.put(reader, Answer.behindBracket(buffer, index, end));
    });
  }

  /** A reader of a tree was made. */
  public static void traversed(Object reader, Object element) {
    Known.put(reader, Known.of(element));
  }

  /** A reader was read as a type, or could not be. */
  public static void read(Object gson, Object reader, Object type) {
    Where where = Known.of(reader);
    if (where == null) return;
    Busy.hook(() -> {
      Object of = type instanceof Type ? type : Looked.call(type, "getType");
      describe(where, gson, (Type) of, new HashMap<>(), List.of());
    });
  }

  /** The names that lead to the value that is read next; null for the elements of lists. */
  public static Object path(Object reader) {
    return Busy.look(null, () -> {
      int size = Looked.number(reader, "stackSize");
      Object stack = Looked.field(reader, "stack"), names = Looked.field(reader, "pathNames");
      if (!(stack instanceof int[]) || !(names instanceof String[]) || size > Where.MOST_DEPTH) return null;
      String[] path = new String[Math.max(size - 1, 0)];
      for (int i = 1; i < size; i++) path[i - 1] = ((int[]) stack)[i] <= 2 ? null : ((String[]) names)[i]; // 1 and 2 are lists
      return path;
    });
  }

  /** A value without a type was read where a path led. */
  public static void value(Object reader, Object path, Object value) {
    Where root = Known.of(reader);
    if (root == null || !(path instanceof String[])) return;
    Busy.hook(() -> {
      Where where = root;
      for (String name : (String[]) path) where = name == null ? where.each() : where.key(name);
      know(value, where, new int[] {Answer.MOST_VALUES});
    });
  }

  private static void know(Object value, Where where, int[] left) throws ReflectiveOperationException {
    if (value == null || left[0]-- <= 0 || where.depth > Where.MOST_DEPTH) return;
    String name = value.getClass().getName();
    if (value instanceof Map) {
      Known.put(value, where);
      members((Map<?, ?>) value, where, left);
    } else if (value instanceof List) {
      for (Object one : (List<?>) value) know(one, where.each(), left);
    } else if (name.equals(PACKAGE + "JsonPrimitive")) {
      Known.put(value, where);
    } else if (name.equals(PACKAGE + "JsonArray")) {
      Known.put(value, where);
      for (Object one : (Iterable<?>) value) know(one, where.each(), left);
    } else if (name.equals(PACKAGE + "JsonObject")) {
      Known.put(value, where);
      members((Map<?, ?>) Looked.field(value, "members"), where, left);
    }
  }

  private static void members(Map<?, ?> map, Where where, int[] left) throws ReflectiveOperationException {
    for (Map.Entry<?, ?> e : map.entrySet()) {
      if (e.getKey() instanceof String) know(e.getValue(), where.key((String) e.getKey()), left);
    }
  }

  /** Tells what a type wants at a place: its kind, its values, and its fields, whether they are there or not. */
  private static void describe(Where where, Object gson, Type type, Map<TypeVariable<?>, Type> bound, List<Class<?>> around)
      throws ReflectiveOperationException {
    while (type instanceof TypeVariable && bound.get(type) != null && bound.get(type) != type) type = bound.get(type);
    if (type instanceof WildcardType) type = ((WildcardType) type).getUpperBounds()[0];
    Type[] parts = {};
    Class<?> raw = Object.class;
    if (type instanceof Class) {
      raw = (Class<?>) type;
    } else if (type instanceof ParameterizedType) {
      raw = (Class<?>) ((ParameterizedType) type).getRawType();
      parts = ((ParameterizedType) type).getActualTypeArguments();
      bound = new HashMap<>(bound);
      for (int i = 0; i < parts.length; i++) bound.put(raw.getTypeParameters()[i], parts[i]);
    } else if (type instanceof GenericArrayType) {
      raw = Object[].class;
    }
    if (where.depth > Where.MOST_TYPES || !where.answer.begins(where, type) || Kinds.tell(where, raw)) return;
    if (raw.isArray() || Collection.class.isAssignableFrom(raw)) {
      where.tell("list");
      Type of = type instanceof GenericArrayType ? ((GenericArrayType) type).getGenericComponentType()
          : raw.isArray() ? raw.getComponentType() : parts.length == 1 ? parts[0] : Object.class;
      describe(where.each(), gson, of, bound, around);
    } else if (Map.class.isAssignableFrom(raw) || raw.getName().equals(PACKAGE + "JsonObject")) {
      where.tell("object");
    } else if (raw.getName().equals(PACKAGE + "JsonArray")) {
      where.tell("list");
    } else if (raw.isEnum()) {
      Kinds.tellEnum(where, raw, PACKAGE + "annotations.SerializedName");
    } else if (raw.isInterface() || raw.getName().startsWith("java.") || raw.getName().startsWith(PACKAGE) || !isByFields(gson, raw)) {
      where.tell();
    } else {
      where.tell("object");
      if (around.contains(raw)) return; // it has the same fields again
      List<Class<?>> within = new ArrayList<>(around);
      within.add(raw);
      for (Class<?> c = raw; c != null && !c.getName().startsWith("java."); c = c.getSuperclass()) fields(where, gson, c, bound, within);
    }
  }

  /** Reports whether a Gson makes objects of a class by its fields, and not as the API says. */
  private static boolean isByFields(Object gson, Class<?> type) throws ReflectiveOperationException {
    Object adapter = gson.getClass().getMethod("getAdapter", Class.class).invoke(gson, type);
    return adapter.getClass().getName().contains("ReflectiveTypeAdapterFactory");
  }

  private static void fields(Where where, Object gson, Class<?> type, Map<TypeVariable<?>, Type> bound, List<Class<?>> within)
      throws ReflectiveOperationException {
    for (Field f : type.getDeclaredFields()) {
      if (f.isSynthetic() || (f.getModifiers() & (Modifier.STATIC | Modifier.TRANSIENT)) != 0) continue;
      String name = Looked.annotated(f, PACKAGE + "annotations.SerializedName");
      describe(where.key(name != null ? name : translated(gson, f)), gson, f.getGenericType(), bound, within);
    }
  }

  /** The name that the naming of a Gson gives a field. */
  private static String translated(Object gson, Field f) {
    try {
      Object naming = Looked.call(gson, "fieldNamingStrategy");
      for (Class<?> c : naming.getClass().getInterfaces().length > 0 ? naming.getClass().getInterfaces() : naming.getClass().getSuperclass().getInterfaces()) {
        Method m = c.getMethod("translateName", Field.class);
        m.setAccessible(true);
        return (String) m.invoke(naming, f);
      }
    } catch (ReflectiveOperationException | RuntimeException itsOwn) {
      // It has the name of the field.
    }
    return f.getName();
  }
}
