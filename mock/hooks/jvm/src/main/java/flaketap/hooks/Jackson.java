package flaketap.hooks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is called from Jackson, whose objects are known by the names of their classes and methods alone. */
public final class Jackson {
  private static final String PACKAGE = "com.fasterxml.jackson.";
  private static final String NODE = PACKAGE + "databind.JsonNode";

  /** The place of the value that this thread converts to an object of another class. */
  private static final ThreadLocal<Where> CONVERTED = new ThreadLocal<>();

  /** Whether this thread looks for a member within a node, which asks those within for it in turn. */
  private static final ThreadLocal<Boolean> FINDING = new ThreadLocal<>();

  private Jackson() {}

  /** A parser, which stands at the first token of a value, is about to be read as a type. */
  public static void root(Object parser, Object type, Object deserializer) {
    Busy.hook(() -> {
      Object bare = bare(parser);
      if (Known.of(bare) == null) {
        Known.put(bare, Answer.behindBracket(Looked.field(bare, "_inputBuffer"), Looked.number(bare, "_inputPtr"), Looked.number(bare, "_inputEnd")));
      }
      Where where = place(bare);
      if (where != null) describe(where, deserializer, type, List.of());
    });
  }

  /** The place of the value at which a parser stands; null where it is of no answer. */
  public static Object begun(Object parser) {
    return Busy.look(null, () -> place(bare(parser)));
  }

  /** A value was read at a place: what stands in its place. */
  public static Object read(Object where, Object value) {
    if (!(where instanceof Where)) return value;
    return Busy.look(value, () -> {
      if (value != null && value.getClass() == LinkedHashMap.class) return Watched.in(value, (Where) where);
      if (Looked.isA(value, NODE)) know(value, (Where) where, new int[] {Answer.MOST_VALUES});
      return value;
    });
  }

  /** A bean is about to be read. */
  public static void bean(Object parser, Object deserializer) {
    Busy.hook(() -> {
      Where where = place(bare(parser));
      if (where != null) describe(where, deserializer, Looked.call(deserializer, "getValueType"), List.of());
    });
  }

  /** A parser of a tree was made. */
  public static void traversed(Object parser, Object node) {
    Known.put(parser, Known.of(node));
  }

  /** A value is about to be converted. */
  public static void converted(Object value) {
    CONVERTED.set(Known.of(value));
  }

  /** The deserializer for what is read or converted was found. */
  public static void found(Object deserializer, Object type) {
    Where where = CONVERTED.get();
    if (where == null) return;
    Busy.hook(() -> {
      CONVERTED.remove();
      describe(where, deserializer, type, List.of());
    });
  }

  /** A member of a node was asked for by a method; result is a node or whether there is one. */
  public static void member(Object node, String name, String method, Object result) {
    Busy.hook(() -> {
      Where of = Reads.of(node);
      if (of == null || name == null || method.startsWith("with") && name.startsWith("/")) return; // an expression
      Where where = of.key(name);
      where.tell(Kinds.ofMethod(method));
      if (result == null || isShared(result)) Reads.given(result, where);
    });
  }

  /** A member is about to be looked for in a node, and in all that is within; reports whether that begins here. */
  public static boolean find(Object node, String name) {
    if (FINDING.get() != null) return false;
    FINDING.set(true);
    Busy.hook(() -> {
      Where of = Known.of(node);
      if (of != null && name != null) of.key(name).tell();
    });
    return true;
  }

  /** That has ended. */
  public static void findEnded() {
    FINDING.remove();
  }

  /** An element of a node was asked for. */
  public static void element(Object node, Object result) {
    Busy.hook(() -> {
      Where of = Reads.of(node);
      if (of == null) return;
      of.tell("list");
      if (isShared(result)) Reads.given(result, of.each());
    });
  }

  /** A pointer was followed from a node. */
  public static void at(Object node, Object pointer, Object result) {
    Busy.hook(() -> {
      Where where = Known.of(node);
      if (where == null) return;
      String[] steps = String.valueOf(pointer).split("/");
      for (int i = 1; i < steps.length; i++) {
        boolean element = steps[i].matches("\\d+");
        if (element) where.tell("list");
        where = element ? where.each() : where.key(steps[i].replace("~1", "/").replace("~0", "~"));
        where.tell();
      }
      if (isShared(result)) Reads.given(result, where);
    });
  }

  /** A node was taken for something. */
  public static void kind(Object node, String method) {
    Busy.hook(() -> {
      Where where = Reads.of(node);
      if (where == null) return;
      String kind = Kinds.ofMethod(method), name = node.getClass().getSimpleName();
      boolean looksOnly = "list".equals(kind) && name.equals("ArrayNode") || "object".equals(kind) && name.equals("ObjectNode");
      if (!looksOnly) where.tell(kind); // else it may be written anew, which is no reading
    });
  }

  /** The parser that others stand before. */
  private static Object bare(Object parser) throws ReflectiveOperationException {
    for (int i = 0; i < 4; i++) {
      Object behind = null;
      if (Looked.isA(parser, PACKAGE + "core.util.JsonParserSequence")) {
        Object[] all = (Object[]) Looked.field(parser, "_parsers");
        behind = all == null || all.length == 0 ? null : all[all.length - 1];
      } else if (Looked.isA(parser, PACKAGE + "core.util.JsonParserDelegate")) {
        behind = Looked.field(parser, "delegate");
      }
      if (behind == null) break;
      parser = behind;
    }
    return parser;
  }

  private static Where place(Object parser) throws ReflectiveOperationException {
    Where root = Known.of(parser);
    if (root == null) return null;
    Object context = Looked.call(parser, "getParsingContext");
    String token = String.valueOf(Looked.call(parser, "currentToken"));
    if (token.startsWith("START_") || token.equals("FIELD_NAME") || token.equals("END_OBJECT")) context = Looked.call(context, "getParent");
    return place(context, root, 0);
  }

  private static Where place(Object context, Where root, int depth) throws ReflectiveOperationException {
    if (context == null || depth > Where.MOST_DEPTH || Looked.is(context, "inRoot")) return root;
    Where parent = place(Looked.call(context, "getParent"), root, depth + 1);
    Object name = Looked.call(context, "getCurrentName");
    return Looked.is(context, "inArray") ? parent.each() : name == null ? parent : parent.key((String) name);
  }

  /** Nodes that are made once for all answers. */
  private static boolean isShared(Object node) throws ReflectiveOperationException {
    switch (node.getClass().getSimpleName()) {
      case "MissingNode":
      case "NullNode":
      case "BooleanNode":
        return true;
      case "IntNode":
        int n = (Integer) Looked.call(node, "intValue");
        return n >= -1 && n <= 10;
      case "TextNode":
        return "".equals(Looked.call(node, "textValue"));
      default:
        return false;
    }
  }

  private static void know(Object node, Where where, int[] left) throws ReflectiveOperationException {
    if (left[0]-- <= 0 || where.depth > Where.MOST_DEPTH || isShared(node)) return;
    Known.put(node, where);
    String name = node.getClass().getSimpleName();
    if (name.equals("ArrayNode")) {
      for (Iterator<?> all = (Iterator<?>) Looked.call(node, "elements"); all.hasNext(); ) know(all.next(), where.each(), left);
    } else if (name.equals("ObjectNode")) {
      for (Iterator<?> all = (Iterator<?>) Looked.call(node, "fields"); all.hasNext(); ) {
        Map.Entry<?, ?> e = (Map.Entry<?, ?>) all.next();
        know(e.getValue(), where.key((String) e.getKey()), left);
      }
    }
  }

  /** Tells what a type wants at a place: its kind, its values, and its properties, whether they are there or not. */
  private static void describe(Where where, Object deserializer, Object type, List<Class<?>> within) throws ReflectiveOperationException {
    if (type == null || where.depth > Where.MOST_TYPES || !where.answer.begins(where, type)) return;
    Class<?> raw = (Class<?>) Looked.call(type, "getRawClass");
    if (Looked.isA(deserializer, PACKAGE + "databind.deser.impl.TypeWrappedDeserializer")) {
      typed(where, Looked.field(deserializer, "_typeDeserializer"));
      deserializer = Looked.field(deserializer, "_deserializer");
    }
    if (raw == byte[].class) {
      where.tell("string");
    } else if (Looked.is(type, "isReferenceType")) {
      describe(where, content(deserializer), Looked.call(type, "getContentType"), within);
    } else if (Looked.is(type, "isCollectionLikeType") || raw.isArray()) {
      where.tell("list");
      if (deserializer != null) typed(where.each(), Looked.field(deserializer, "_valueTypeDeserializer"));
      describe(where.each(), content(deserializer), Looked.call(type, "getContentType"), within);
    } else if (Looked.is(type, "isMapLikeType")) {
      where.tell("object");
    } else if (raw.isEnum()) {
      values(where, deserializer, raw);
    } else if (Looked.isA(deserializer, PACKAGE + "databind.deser.BeanDeserializerBase")) {
      properties(where, deserializer, raw, within);
    } else if (!Kinds.tell(where, raw)) {
      where.tell(raw.getSimpleName().equals("ObjectNode") ? "object" : raw.getSimpleName().equals("ArrayNode") ? "list" : null);
    }
  }

  private static Object content(Object deserializer) throws ReflectiveOperationException {
    if (deserializer == null) return null;
    Object content = Looked.call(deserializer, "getContentDeserializer");
    return content != null ? content : Looked.field(deserializer, "_valueDeserializer");
  }

  private static void properties(Where where, Object deserializer, Class<?> raw, List<Class<?>> around) throws ReflectiveOperationException {
    where.tell("object");
    if (around.contains(raw)) return; // it has the same fields again
    List<Class<?>> within = new ArrayList<>(around);
    within.add(raw);
    Iterator<?> all = (Iterator<?>) Looked.call(deserializer, "properties");
    while (all != null && all.hasNext()) {
      Object property = all.next();
      Where at = where.key(String.valueOf(Looked.call(property, "getName")));
      typed(at, Looked.call(property, "getValueTypeDeserializer"));
      describe(at, Looked.call(property, "getValueDeserializer"), Looked.call(property, "getType"), within);
    }
  }

  /** Tells the property by which one of several classes is chosen, and their names. */
  private static void typed(Where where, Object types) throws ReflectiveOperationException {
    Object name = types == null ? null : Looked.call(types, "getPropertyName");
    if (name == null) return;
    Where at = where.key((String) name);
    at.tell("string");
    Object names = Looked.field(Looked.field(types, "_idResolver"), "_idToType");
    if (names instanceof Map) {
      for (Object one : ((Map<?, ?>) names).keySet()) at.tell("string", one);
    }
  }

  private static void values(Where where, Object deserializer, Class<?> type) throws ReflectiveOperationException {
    Object names = deserializer == null ? null : Looked.field(deserializer, "_lookupByName");
    Object all = names == null ? null : Looked.call(names, "keys");
    if (!(all instanceof Collection)) {
      Kinds.tellEnum(where, type, PACKAGE + "annotation.JsonProperty");
      return;
    }
    for (Object one : (Collection<?>) all) where.tell("string", one);
  }
}
