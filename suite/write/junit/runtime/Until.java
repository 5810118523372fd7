package flaketap;

import io.restassured.response.Response;

/**
 * What an answer is waited for to say, where the API may still be at work when it is asked first: a
 * status, and JSON values at places, as place, value, place, value.
 */
record Until(int seconds, int status, String... values) {
  private static final long PAUSE = 100; // milliseconds

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
        Thread.sleep(PAUSE);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return answer;
      }
      answer = sender.send();
    }
    return answer;
  }

  private boolean saidBy(Response answer) {
    for (int i = 0; i < values.length; i += 2) {
      String expected = Json.canonical(Json.parse(values[i + 1]));
      if (new Answer(answer)
          .found(values[i]).stream().map(Json::canonical).noneMatch(expected::equals)) {
        return false;
      }
    }
    return answer.statusCode() == status;
  }
}
