package flaketap;

import io.restassured.RestAssured;
import io.restassured.config.EncoderConfig;
import io.restassured.config.RestAssuredConfig;
import io.restassured.filter.Filter;
import io.restassured.parsing.Parser;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The API under test, and what the tests share: FLAKETAP_URL says where it is, or else the
 * recording does; FLAKETAP_RESET is a URL that is sent a POST, or a command of the shell, before
 * the first test.
 */
final class Api {
  /** A step of a test that runs apart from the others. */
  interface Step {
    void run() throws Exception;
  }

  /** Ends a clean-up of what no answer named. */
  private static final class NotGiven extends IllegalStateException {
    private static final long serialVersionUID = 1;

    NotGiven(String message) {
      super(message);
    }
  }

  /** What answers gave one test. Tests that run at the same time run in threads of their own. */
  private static final class Own {
    private final Map<String, String> values = new HashMap<>();
    private final Set<String> given = new HashSet<>();
    private Map<String, String> sharing; // what the shared set-up that runs now gave; null for none
    private boolean cleaning;
  }

  // Another text in each run: an API that keeps what it has refuses an account that is there.
  private static final String THIS_RUN = "r" + Long.toString(System.currentTimeMillis(), 36);
  private static final Map<?, ?> RECORDED = recorded();
  private static final ThreadLocal<Own> OWN = ThreadLocal.withInitial(Own::new);
  private static final Map<String, Map<String, String>> SHARED = new HashMap<>(); // by set-up
  private static final Map<String, String> CREDENTIALS = new ConcurrentHashMap<>();
  private static final RestAssuredConfig AS_IT_IS =
      RestAssuredConfig.config()
          .encoderConfig(
              EncoderConfig.encoderConfig()
                  .appendDefaultContentCharsetToContentTypeIfUndefined(false));
  private static boolean started;

  private Api() {}

  /**
   * Begins a request, which is sent as it stands in the test, with the usual headers but for those
   * named.
   */
  static RequestSpecification given(String... without) {
    start();
    RequestSpecification request =
        RestAssured.given()
            .config(AS_IT_IS)
            .urlEncodingEnabled(false)
            .baseUri(url())
            .header("Accept", Wire.NONE)
            .header("Content-Type", Wire.NONE)
            .filter(new Wire());
    for (Object usual : (List<?>) RECORDED.get("headers")) {
      String name = (String) ((Map<?, ?>) usual).get("name");
      if (!List.of(without).contains(name)) {
        request.header(name, joined(((Map<?, ?>) usual).get("value")));
      }
    }
    return request;
  }

  /** The target of a request that REST-assured would write otherwise, sent as it is. */
  static Filter target(String target) {
    return (request, response, context) -> {
      context.setValue(Wire.TARGET, target);
      return context.next(request, response);
    };
  }

  /** The method of a request that REST-assured would write otherwise, sent as it is. */
  static Filter method(String method) {
    return (request, response, context) -> {
      context.setValue(Wire.METHOD, method);
      return context.next(request, response);
    };
  }

  /** Sends the body in chunks. */
  static Filter chunked() {
    return (request, response, context) -> {
      context.setValue(Wire.CHUNKED, true);
      return context.next(request, response);
    };
  }

  /**
   * What an answer is waited for to say: a status, and JSON values at places, as place, value,
   * place, value.
   */
  static Until says(int status, String... values) {
    return new Until(status, new String[0], values);
  }

  /** Waits for the answer for so many seconds. */
  static Filter within(int seconds) {
    return (request, response, context) -> {
      context.setValue(Wire.WITHIN, seconds);
      return context.next(request, response);
    };
  }

  /** Runs a set-up once for all tests. If it fails, it fails one test and is not sent again. */
  static void once(String name, Step setUp) throws Exception {
    Own own = OWN.get();
    synchronized (SHARED) {
      if (!SHARED.containsKey(name)) {
        Map<String, String> before = own.sharing;
        own.sharing = new HashMap<>();
        SHARED.put(name, own.sharing);
        try {
          setUp.run();
        } finally {
          own.sharing = before;
        }
      }
      own.values.putAll(SHARED.get(name));
      own.given.addAll(SHARED.get(name).keySet());
    }
  }

  /**
   * Runs a clean-up, which deletes only what answers of the test named. Its outcome does not affect
   * the test.
   */
  static void cleanUp(Step step) {
    OWN.get().cleaning = true;
    try {
      step.run();
    } catch (NotGiven e) {
      return; // it was not made, or the test took it away itself
    } catch (Exception e) {
      System.err.println("clean-up: " + e);
    } finally {
      OWN.get().cleaning = false;
    }
  }

  /**
   * Begins a test that changes what answers name: what earlier tests were given is not its own.
   * What tests share, it is given by the set-up.
   */
  static void begin() {
    OWN.get().given.clear();
  }

  /**
   * Fails where answers did not give values: a recorded one may name another's thing, which is not
   * to be changed.
   */
  static void requireGiven(String... names) {
    for (String name : names) {
      if (!OWN.get().given.contains(name)) {
        throw new AssertionError("no answer gave " + name);
      }
    }
  }

  /** Keeps the value that an answer gives; if it gives none, keeps the known one. */
  static void take(Response res, String name, String place) {
    String value = new Answer(res).taken(place);
    if (value != null && !value.isEmpty() && res.statusCode() < 400) {
      Own own = OWN.get();
      own.values.put(name, value);
      own.given.add(name);
      if (own.sharing != null) {
        own.sharing.put(name, value);
      }
    }
  }

  /**
   * Notes that a request took away what a value names, so that no clean-up does so again, if its
   * answer says that.
   */
  static void gone(Response res, String name) {
    int status = res.statusCode();
    if (status == 404 || status == 410 || status < 300 && status != 202) {
      OWN.get().given.remove(name);
    }
  }

  /** Like take, but keeps the known value while the list still contains it. */
  static void find(Response res, String name, String place) {
    if (!new Answer(res).listed(place).contains(bound(name))) {
      take(res, name, place);
    }
  }

  /** A value that an answer gave; until then, that of the recording. */
  static String bound(String name) {
    Own own = OWN.get();
    if (own.cleaning && !own.given.contains(name)) {
      throw new NotGiven("no answer gave " + name);
    }
    return own.values.computeIfAbsent(name, Api::recordedValue);
  }

  /** A secret: from the environment variable FLAKETAP_ and its name, or from secrets.json. */
  static String secret(String name) {
    String variable = "FLAKETAP_" + name;
    String given = environment(variable, "");
    String value = given.isEmpty() ? stored(name, variable) : given;
    if (value.length() >= 6 && !name.startsWith("REFUSED_")) {
      CREDENTIALS.put(variable, value);
    }
    return value;
  }

  /** Says once which credential of the environment the API refuses with 401. */
  static void noteRefusal(String head, int status) {
    for (String name : List.copyOf(CREDENTIALS.keySet())) {
      String value = CREDENTIALS.get(name);
      if (status == 401 && (head.contains(value) || head.contains(inQuery(value)))) {
        CREDENTIALS.remove(name);
        System.err.println(
            "the API refused the credential "
                + name
                + " with 401: if it has expired, set another, see README.md");
      }
    }
  }

  /** A secret of secrets.json, or of the file that FLAKETAP_SECRETS names. */
  private static String stored(String name, String variable) {
    String hint = "give it there, or set the environment variable " + variable + ", see README.md";
    Path path =
        Path.of(
            environment("FLAKETAP_SECRETS", System.getProperty("basedir", ".") + "/secrets.json"));
    try {
      Object value = ((Map<?, ?>) Json.parse(Files.readString(path))).get(name);
      if (value == null || "".equals(value)) {
        throw new IllegalStateException(path + " has no value for " + name + ": " + hint);
      }
      return (String) value;
    } catch (NoSuchFileException e) {
      throw new IllegalStateException(
          path + " is missing, so there is no " + name + ": " + hint, e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The parts of a text that is too long for one constant. */
  static String text(String... parts) {
    return String.join("", parts);
  }

  /** The authority of the API, as requests name it. */
  static String host() {
    return authority(URI.create(url()));
  }

  /** The authority of another address, as requests to it name it. */
  static String host(String base) {
    return authority(URI.create(base));
  }

  static String authority(URI base) {
    return base.getRawAuthority().replaceFirst(".*@", "");
  }

  static String inPath(String value) {
    return escaped(value, "~!$&'()*+,;=:@");
  }

  static String inQuery(String value) {
    return escaped(value, "~!$'()*,:@/?");
  }

  /** A text escaped for use inside a JSON string. */
  static String inJson(String value) {
    String quoted = Json.quoted(value);
    return quoted.substring(1, quoted.length() - 1);
  }

  /** A text as a JSON value: a number if it is one, otherwise a string. */
  static String asJson(String value) {
    try {
      if (Json.parse(value) instanceof Json.Num) {
        return value;
      }
    } catch (IllegalArgumentException e) {
      // what is not JSON is a string
    }
    return Json.quoted(value);
  }

  /** The bytes of a body that is not text. */
  static byte[] fromBase64(String value) {
    return Base64.getDecoder().decode(value);
  }

  /** The order of the tests, as class.method. */
  static List<?> order() {
    return (List<?>) RECORDED.get("tests");
  }

  static String environment(String name, String otherwise) {
    String value = System.getenv(name);
    return value == null || value.isEmpty() ? otherwise : value;
  }

  private static String url() {
    return environment("FLAKETAP_URL", (String) RECORDED.get("target"));
  }

  private static String escaped(String value, String safe) {
    StringBuilder out = new StringBuilder();
    for (byte b : value.getBytes(StandardCharsets.UTF_8)) {
      boolean plain =
          b > 0 && (Character.isLetterOrDigit(b) || "-._".indexOf(b) >= 0 || safe.indexOf(b) >= 0);
      out.append(plain ? String.valueOf((char) b) : String.format("%%%02X", b & 0xff));
    }
    return out.toString();
  }

  private static String recordedValue(String name) {
    for (Object value : (List<?>) RECORDED.get("bound")) {
      if (((Map<?, ?>) value).get("name").equals(name)) {
        Object recorded = ((Map<?, ?>) value).get("recorded");
        return recorded == null ? THIS_RUN : joined(recorded);
      }
    }
    throw new IllegalArgumentException("the recording has no value " + name);
  }

  /** The text of pieces, some of which are secrets. */
  private static String joined(Object pieces) {
    StringBuilder out = new StringBuilder();
    for (Object piece : (List<?>) pieces) {
      out.append(piece instanceof Map<?, ?> named ? secret((String) named.get("secret")) : piece);
    }
    return out.toString();
  }

  private static Map<?, ?> recorded() {
    try (InputStream in = Api.class.getResourceAsStream("/flaketap/recorded.json")) {
      return (Map<?, ?>) Json.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static synchronized void start() {
    if (started) {
      return;
    }
    started = true;
    RestAssured.defaultParser = Parser.JSON;
    resetAsTold();
  }

  /** Resets the API, where the environment says how. */
  static void resetAsTold() {
    String reset = environment("FLAKETAP_RESET", "");
    if (!reset.isEmpty()) {
      try {
        reset(reset);
      } catch (IOException e) {
        throw new UncheckedIOException("reset: " + e.getMessage(), e);
      } catch (InterruptedException e) {
        throw new IllegalStateException("reset: it was interrupted", e);
      }
    }
  }

  static void reset(String how) throws IOException, InterruptedException {
    if (how.startsWith("http://") || how.startsWith("https://")) {
      HttpRequest post =
          HttpRequest.newBuilder(URI.create(how))
              .timeout(Duration.ofSeconds(60))
              .POST(HttpRequest.BodyPublishers.noBody())
              .build();
      int status =
          HttpClient.newHttpClient()
              .send(post, HttpResponse.BodyHandlers.discarding())
              .statusCode();
      if (status / 100 != 2) {
        throw new IOException(how + " answers " + status);
      }
      return;
    }
    Process process = new ProcessBuilder(Arrays.asList("sh", "-c", how)).inheritIO().start();
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      process.destroy();
      throw new IOException(how + " did not succeed");
    }
  }
}
