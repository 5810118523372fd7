package flaketap;

import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;
import org.junit.jupiter.api.MethodDescriptor;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.MethodOrdererContext;

/** Runs the tests in the order of the recording; tests that were added come last, by name. */
public final class InOrder implements ClassOrderer, MethodOrderer {
  @Override
  public void orderClasses(ClassOrdererContext context) {
    context
        .getClassDescriptors()
        .sort(Comparator.comparing(c -> key(c.getTestClass().getSimpleName() + ".")));
  }

  @Override
  public void orderMethods(MethodOrdererContext context) {
    context.getMethodDescriptors().sort(Comparator.comparing(InOrder::key));
  }

  private static String key(MethodDescriptor descriptor) {
    Method method = descriptor.getMethod();
    return key(method.getDeclaringClass().getSimpleName() + "." + method.getName());
  }

  /** Where a test, or the first of a class, stands among the recorded ones. */
  private static String key(String name) {
    List<?> order = Api.order();
    int at = 0;
    while (at < order.size() && !matches((String) order.get(at), name)) {
      at++;
    }
    return String.format("%09d %s", at, name);
  }

  private static boolean matches(String recorded, String name) {
    return name.endsWith(".") ? recorded.startsWith(name) : recorded.equals(name);
  }
}
