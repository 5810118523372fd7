package flaketap.hooks;

import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/** The code that is put into Jackson's methods. */
final class JacksonAdvice {
  private JacksonAdvice() {}

  static final class Root {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(@Advice.Argument(0) Object parser, @Advice.Argument(1) Object type, @Advice.Argument(2) Object deserializer) {
      Jackson.root(parser, type, deserializer);
    }
  }

  static final class Value {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static Object enter(@Advice.Argument(0) Object parser) {
      return Jackson.begun(parser);
    }

    @Advice.OnMethodExit(suppress = Throwable.class)
    static void exit(@Advice.Enter Object where, @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object value) {
      value = Jackson.read(where, value);
    }
  }

  static final class Bean {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(@Advice.This Object deserializer, @Advice.Argument(0) Object parser) {
      Jackson.bean(parser, deserializer);
    }
  }

  static final class Tree {
    @Advice.OnMethodExit(suppress = Throwable.class)
    static void exit(@Advice.This Object parser, @Advice.Argument(0) Object node) {
      Jackson.traversed(parser, node);
    }
  }

  static final class Convert {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(@Advice.Argument(0) Object value) {
      Jackson.converted(value);
    }
  }

  static final class Found {
    @Advice.OnMethodExit(suppress = Throwable.class)
    static void exit(@Advice.Argument(1) Object type, @Advice.Return Object deserializer) {
      Jackson.found(deserializer, type);
    }
  }

  static final class Member {
    @Advice.OnMethodExit(suppress = Throwable.class)
    static void exit(@Advice.This Object node, @Advice.Argument(0) String name, @Advice.Origin("#m") String method,
        @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object result) {
      Jackson.member(node, name, method, result);
    }
  }

  static final class Find {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static boolean enter(@Advice.This Object node, @Advice.Argument(0) String name) {
      return Jackson.find(node, name);
    }

    @Advice.OnMethodExit(suppress = Throwable.class, onThrowable = Throwable.class)
    static void exit(@Advice.Enter boolean begun) {
      if (begun) Jackson.findEnded();
    }
  }

  static final class Element {
    @Advice.OnMethodExit(suppress = Throwable.class)
    static void exit(@Advice.This Object node, @Advice.Return(typing = Assigner.Typing.DYNAMIC) Object result) {
      Jackson.element(node, result);
    }
  }

  static final class At {
    @Advice.OnMethodExit(suppress = Throwable.class)
    static void exit(@Advice.This Object node, @Advice.Argument(0) Object pointer, @Advice.Return Object result) {
      Jackson.at(node, pointer, result);
    }
  }

  static final class Kind {
    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(@Advice.This Object node, @Advice.Origin("#m") String method) {
      Jackson.kind(node, method);
    }
  }
}
