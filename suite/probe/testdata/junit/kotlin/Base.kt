package shop.api

import org.junit.jupiter.api.Assertions.assertEquals

abstract class Base {
    fun say(words: String) = println("<$words>")

    fun check(want: Any?, got: Any?) {
        assertEquals(want, got)
        say("in helper")
    }

    fun quick(want: Any?, got: Any?) = assertEquals(want, got)

    fun patient(what: () -> Unit) {
        repeat(3) {
            try {
                what()
                return
            } catch (e: AssertionError) {
                say("again")
            }
        }
    }
}
