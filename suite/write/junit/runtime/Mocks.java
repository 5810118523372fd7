package flaketap;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What external services answer while a test runs, and what the API asks of them. FLAKETAP_MOCKS is
 * where flaketap mock serve is told. Where that is not set, WireMock serves the stubs here, at the
 * port of FLAKETAP_MOCKS_PORT: see README.md.
 */
final class Mocks {
  private static String services;
  private static boolean hanging; // a test has left the API so

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(Mocks::restart));
  }

  private Mocks() {}

  /** Puts the API back to its start, and has its services answer as a file says. */
  static synchronized void mocks(String name) {
    restart();
    try {
      Api.resetAsTold();
      Path stubs = Path.of(System.getProperty("basedir", "."), "mocks", name + ".json");
      HttpRequest put =
          HttpRequest.newBuilder(URI.create(services() + "/stubs"))
              .timeout(Duration.ofSeconds(60))
              .PUT(HttpRequest.BodyPublishers.ofString(Files.readString(stubs)))
              .build();
      HttpResponse<String> answer =
          HttpClient.newBuilder()
              .proxy(HttpClient.Builder.NO_PROXY)
              .build()
              .send(put, HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != 204) {
        throw new IllegalStateException("external services cannot be told: " + answer.body());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException("it was interrupted", e);
    }
  }

  /** Does so for a test that leaves the API hanging: it is started anew after that. */
  static synchronized void mocksHang(String name) {
    assumeTrue(
        !Api.environment("FLAKETAP_RESTART", "").isEmpty(),
        "the API hangs in this test, and FLAKETAP_RESTART does not say how it is started anew");
    mocks(name);
    hanging = true;
  }

  /** Skips a test with stubs that WireMock does not know, unless flaketap serves them. */
  static void needsFlaketap(String why) {
    assumeTrue(!Api.environment("FLAKETAP_MOCKS", "").isEmpty(), why + ": flaketap mock serve has");
  }

  private static synchronized void restart() {
    if (!hanging) {
      return;
    }
    hanging = false;
    try {
      Api.reset(Api.environment("FLAKETAP_RESTART", ""));
    } catch (IOException e) {
      throw new UncheckedIOException("restart: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      throw new IllegalStateException("restart: it was interrupted", e);
    }
  }

  /** Where external services tell what they were asked. */
  static synchronized String services() {
    if (services == null) {
      services = Api.environment("FLAKETAP_MOCKS", "");
    }
    if (services.isEmpty()) {
      String port = Api.environment("FLAKETAP_MOCKS_PORT", "");
      if (port.isEmpty()) {
        throw new IllegalStateException(
            "nothing answers for the API's external services: run `flaketap mock serve --start CMD"
                + " -- mvn test`, or see README.md");
      }
      services = new Stubs(Integer.parseInt(port)).url();
    }
    return services;
  }

  /** Fails unless a request gets no answer within the time that it is given. */
  static void hangs(Api.Step request) {
    ends("hangs", request);
  }

  /** Fails unless the connection of a request ends without an answer. */
  static void breaksOff(Api.Step request) {
    ends("breaks off", request);
  }

  private static void ends(String want, Api.Step request) {
    String got = "is answered";
    try {
      request.run();
    } catch (Exception e) {
      got = "breaks off";
      for (Throwable cause = e; cause != null; cause = cause.getCause()) {
        got = cause instanceof SocketTimeoutException ? "hangs" : got;
      }
    }
    if (!got.equals(want)) {
      throw new AssertionError("the request " + got + ", want that it " + want);
    }
  }
}
