package org.evomaster.client.java.controller.contentMatchers;

import org.hamcrest.Description;
import org.hamcrest.TypeSafeMatcher;

/** Stands in for the matcher that compares numbers of any class as doubles. */
public final class NumberMatcher extends TypeSafeMatcher<Number> {
    private final double expected;

    private NumberMatcher(double expected) {
        this.expected = expected;
    }

    public static NumberMatcher numberMatches(Number expected) {
        return new NumberMatcher(expected.doubleValue());
    }

    @Override
    protected boolean matchesSafely(Number item) {
        return item.doubleValue() == expected;
    }

    @Override
    public void describeTo(Description description) {
        description.appendText("the number ").appendValue(expected);
    }
}
