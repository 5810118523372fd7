package flaketap;

import io.restassured.response.Response;

/**
 * What an answer is waited for to say, where the API may still be at work when it is asked first: a
 * status, and JSON values at places, as place, value, place, value. With one of never there is no
 * more to wait for: no other value was seen to follow it.
 */
record Until(int seconds, int status, long pause, String[] never, String... values) {
  private static final long PAUSE = 100; // milliseconds

  Until(int seconds, int status, String... values) {
    this(seconds, status, PAUSE, new String[0], values);
  }

  Until every(long milliseconds) {
    return new Until(seconds, status, milliseconds, never, values);
  }

  Until orNever(String... these) {
    return new Until(seconds, status, pause, these, values);
  }

  /** Sends a request. */
  interface Sender<E extends Exception> {
    Response send() throws E;
  }

  /** The first answer that says it, or the last one when the time is over. */
  <E extends Exception> Response of(Sender<E> sender) throws E {
    long end = System.nanoTime() + seconds * 1_000_000_000L;
    Response answer = sender.send();
    while (!saidBy(answer) && System.nanoTime() < end) {
      try {
        Thread.sleep(pause);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return answer;
      }
      answer = sender.send();
    }
    return answer;
  }

  private boolean saidBy(Response answer) {
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

  private static boolean has(Response answer, String place, String value) {
    String expected = Json.canonical(Json.parse(value));
    return new Answer(answer).found(place).stream().map(Json::canonical).anyMatch(expected::equals);
  }
}
