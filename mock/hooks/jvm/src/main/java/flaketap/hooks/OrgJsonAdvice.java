package flaketap.hooks;

import net.bytebuddy.asm.Advice;

/** The code that is put into org.json's methods. */
final class OrgJsonAdvice {
  private OrgJsonAdvice() {}

  static final class Tokener {
    @Advice.OnMethodExit(suppress = Throwable.class)
    static void exit(@Advice.This Object tokener) {
      OrgJson.made(tokener);
    }
  }

  static final class Made {
    @Advice.OnMethodExit(suppress = Throwable.class)
    static void exit(@Advice.This Object value, @Advice.Argument(0) Object tokener) {
      OrgJson.read(value, tokener);
    }
  }

  static final class Element {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(@Advice.This Object list, @Advice.Origin("#m") String method) {
      OrgJson.element(list, method);
    }
  }

  static final class Enum {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(@Advice.This Object object, @Advice.Argument(0) Class<?> type, @Advice.Argument(1) String name) {
      OrgJson.constants(object, type, name);
    }
  }
}
