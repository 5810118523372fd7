package shop;

import java.util.Comparator;
import org.junit.jupiter.api.MethodDescriptor;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.MethodOrdererContext;

/** Runs the tests of a class in the order of their names, or the other way round. */
public class Backwards implements MethodOrderer {
  @Override
  public void orderMethods(MethodOrdererContext context) {
    Comparator<MethodDescriptor> byName = Comparator.comparing(m -> m.getMethod().getName());
    context
        .getMethodDescriptors()
        .sort(System.getenv("BACKWARDS") == null ? byName : byName.reversed());
  }
}
