package flaketap;

import io.restassured.response.Response;
import org.hamcrest.Description;
import org.hamcrest.TypeSafeMatcher;

/**
 * What an answer is waited for to say, where the API may still be at work when it is asked first: a
 * status, and JSON values at places, as place, value, place, value. With one of never there is no
 * more to wait for, as no other value was seen to follow it: it ends the wait too, and what the
 * test asserts tells it.
 */
final class Until extends TypeSafeMatcher<Response> {
  private static final int SHOWN = 2000; // characters of a body

  private final int status;
  private final String[] never;
  private final String[] values;

  Until(int status, String[] never, String... values) {
    super(Response.class);
    this.status = status;
    this.never = never;
    this.values = values;
  }

  Until orNever(String... these) {
    return new Until(status, these, values);
  }

  @Override
  protected boolean matchesSafely(Response answer) {
    if (answer.statusCode() != status) {
      return false;
    }
    for (int i = 0; i < never.length; i += 2) {
      if (has(answer, never[i], never[i + 1])) {
        return true;
      }
    }
    for (int i = 0; i < values.length; i += 2) {
      if (!has(answer, values[i], values[i + 1])) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void describeTo(Description text) {
    text.appendText("an answer with status " + status);
    for (int i = 0; i < values.length; i += 2) {
      text.appendText(", " + values[i] + " " + values[i + 1]);
    }
  }

  @Override
  protected void describeMismatchSafely(Response answer, Description text) {
    String body = answer.asString();
    if (body.length() > SHOWN) {
      body = body.substring(0, SHOWN) + "…";
    }
    text.appendText("it was " + answer.statusCode() + " " + body);
  }

  private static boolean has(Response answer, String place, String value) {
    String expected = Json.canonical(Json.parse(value));
    return new Answer(answer).found(place).stream().map(Json::canonical).anyMatch(expected::equals);
  }
}
