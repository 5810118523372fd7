package flaketap.hooks;

import net.bytebuddy.asm.Advice;

/** The code that is put into methods of values that are known by themselves, of whatever library. */
final class ReadsAdvice {
  private ReadsAdvice() {}

  static final class Member {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(@Advice.This Object object, @Advice.Argument(0) Object name, @Advice.Origin("#m") String method) {
      Reads.member(object, name, method);
    }
  }

  static final class Kind {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(@Advice.This Object value, @Advice.Origin("#m") String method) {
      Reads.kind(value, method);
    }
  }
}
