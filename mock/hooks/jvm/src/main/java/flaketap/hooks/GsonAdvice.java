package flaketap.hooks;

import net.bytebuddy.asm.Advice;

/** The code that is put into Gson's methods. */
final class GsonAdvice {
  private GsonAdvice() {}

  static final class Begin {
    @Advice.OnMethodExit(suppress = Throwable.class, onThrowable = Throwable.class)
    static void exit(@Advice.This Object reader, @Advice.FieldValue("buffer") char[] buffer, @Advice.FieldValue("pos") int index,
        @Advice.FieldValue("limit") int end, @Advice.FieldValue("stackSize") int depth) {
      if (depth <= 2) Gson.begun(reader, buffer, index, end);
    }
  }

  static final class Tree {
    @Advice.OnMethodExit(suppress = Throwable.class)
    static void exit(@Advice.This Object reader, @Advice.Argument(0) Object element) {
      Gson.traversed(reader, element);
    }
  }

  static final class From {
    @Advice.OnMethodExit(suppress = Throwable.class, onThrowable = Throwable.class)
    static void exit(@Advice.This Object gson, @Advice.Argument(0) Object reader, @Advice.Argument(1) Object type) {
      Gson.read(gson, reader, type);
    }
  }

  static final class Value {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static Object enter(@Advice.Argument(0) Object reader) {
      return Gson.path(reader);
    }

    @Advice.OnMethodExit(suppress = Throwable.class)
    static void exit(@Advice.Enter Object path, @Advice.Argument(0) Object reader, @Advice.Return Object value) {
      Gson.value(reader, path, value);
    }
  }
}
