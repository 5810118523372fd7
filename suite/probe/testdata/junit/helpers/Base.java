package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;

abstract class Base {
    static void say(String words) {
        System.out.println("<" + words + ">");
    }

    static void check(String want, String got) {
        assertEquals(want, got);
        say("in helper");
    }

    static void other() throws IOException {}

    static void retried(Runnable what) {
        for (int i = 0; i < 3; i++) {
            try {
                what.run();
                return;
            } catch (AssertionError e) {
                say("again");
            }
        }
    }
}
