package flaketap.hooks;

import java.lang.annotation.Annotation;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Looks into objects of libraries, which are of another loader each, and of any version. */
final class Looked {
  private static final ClassValue<Map<String, Object>> MEMBERS = new ClassValue<>() {
    @Override
    protected Map<String, Object> computeValue(Class<?> type) {
      return new ConcurrentHashMap<>();
    }
  };

  private Looked() {}

  /** What a field has, of the class or of one above it; null where there is none. */
  static Object field(Object of, String name) throws ReflectiveOperationException {
    Object found = found(of, name, c -> c.getDeclaredField(name));
    return found instanceof Field ? ((Field) found).get(of) : null;
  }

  /** What a method without arguments returns; null where there is none. */
  static Object call(Object of, String name) throws ReflectiveOperationException {
    Object found = found(of, name + "()", c -> c.getDeclaredMethod(name));
    return found instanceof Method ? ((Method) found).invoke(of) : null;
  }

  private interface Member {
    AccessibleObject of(Class<?> type) throws ReflectiveOperationException;
  }

  /** A member of the class or of one above it, which is looked for once; its name where there is none. */
  private static Object found(Object of, String name, Member member) {
    return MEMBERS.get(of.getClass()).computeIfAbsent(name, n -> {
      for (Class<?> c = of.getClass(); c != null; c = c.getSuperclass()) {
        try {
          AccessibleObject found = member.of(c);
          found.setAccessible(true);
          return found;
        } catch (ReflectiveOperationException | RuntimeException above) {
          continue;
        }
      }
      return n;
    });
  }

  static boolean is(Object of, String name) throws ReflectiveOperationException {
    return Boolean.TRUE.equals(call(of, name));
  }

  static int number(Object of, String name) throws ReflectiveOperationException {
    Object n = field(of, name);
    return n instanceof Integer ? (Integer) n : -1;
  }

  /** Reports whether an object is of a class, or of one below it. */
  static boolean isA(Object of, String name) {
    for (Class<?> c = of == null ? null : of.getClass(); c != null; c = c.getSuperclass()) {
      if (c.getName().equals(name)) return true;
    }
    return false;
  }

  /** The value of an annotation; null where there is none. */
  static String annotated(AnnotatedElement element, String annotation) throws ReflectiveOperationException {
    for (Annotation a : element.getAnnotations()) {
      if (a.annotationType().getName().equals(annotation)) return String.valueOf(a.annotationType().getMethod("value").invoke(a));
    }
    return null;
  }
}
