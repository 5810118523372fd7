package flaketap;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Serves stubs: the first segment of a path is the service, as in
 * http://127.0.0.1:9000/rates.example.com:443/latest.
 */
final class Stubs {
  // As often as calls in a row are counted: how often what never ends depends on the machine.
  private static final int OFTEN = 10;
  // How many milliseconds every answer is held back: calls that are made side by side may come one
  // after the other, and are known as what they are only while the first has no answer.
  private static final int SIDE_BY_SIDE = 20;
  private static final int MAX_HELD = 100;
  private static final Map<String, Set<String>> KNOWN =
      Map.of(
          "request",
          Set.of("host", "port", "method", "url", "urlPath", "urlPattern", "urlPathPattern"),
          "response",
          Set.of(
              "status",
              "interimStatus",
              "headers",
              "body",
              "jsonBody",
              "fixedDelayMilliseconds",
              "fault"));

  private final ServerSocket listener;
  private List<Map<?, ?>> stubs = List.of();
  private final Map<String, Object> states = new HashMap<>();
  private final List<Call> calls = new ArrayList<>();

  /** A call to a service; ended is when it is about to be answered. */
  private static final class Call {
    private final Map<String, Object> asked = new LinkedHashMap<>();
    private final long begun = System.nanoTime();
    private long ended = Long.MIN_VALUE;

    private String text(String name) {
      return (String) asked.get(name);
    }

    private String key() {
      return written(new ArrayList<>(asked.values()));
    }
  }

  Stubs(int port) throws IOException {
    listener = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  private static void start(Runnable run) {
    Thread thread = new Thread(run);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (true) {
      try {
        Socket socket = listener.accept();
        start(() -> serve(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = new BufferedInputStream(socket.getInputStream());
      String line = line(in);
      if (line == null) {
        return;
      }
      Map<String, String> headers = new HashMap<>();
      for (String field = line(in); field != null && !field.isEmpty(); field = line(in)) {
        String[] pair = field.split(":", 2);
        headers.put(pair[0].toLowerCase(Locale.ROOT), pair[pair.length - 1].strip());
      }
      answer(socket, line.split(" "), body(in, headers));
    } catch (IOException | InterruptedException e) {
      return; // nobody waits any more
    }
  }

  /** Answers a request, which ends the connection: no call depends on one that another left. */
  private void answer(Socket socket, String[] line, String body)
      throws IOException, InterruptedException {
    String method = line[0];
    if (method.equals("PUT") && line[1].equals("/stubs")) {
      String wrong = load(body);
      send(socket, method, wrong.isEmpty() ? 204 : 422, Map.of(), wrong);
      return;
    }
    if (method.equals("GET") && line[1].equals("/calls")) {
      String asked = written(Map.of("calls", asked()));
      send(socket, method, 200, Map.of("Content-Type", "application/json"), asked);
      return;
    }
    String[] path = line[1].split("/", 3);
    Call call = new Call();
    call.asked.put("service", URLDecoder.decode(path[1], StandardCharsets.UTF_8));
    call.asked.put("method", method);
    call.asked.put("target", "/" + (path.length > 2 ? path[2] : ""));
    if (!body.isEmpty()) {
      call.asked.put("body", value(body));
    }
    Map<?, ?> stub = choose(call);
    Map<?, ?> response = stub == null ? Map.of() : object(stub, "response");
    int interim = number(response, "interimStatus", 0);
    if (interim != 0) {
      String early = "HTTP/1.1 " + interim + " Interim\r\n\r\n";
      socket.getOutputStream().write(early.getBytes(StandardCharsets.US_ASCII));
    }
    Thread.sleep(Math.max(number(response, "fixedDelayMilliseconds", 0), held()));
    synchronized (this) {
      call.ended = System.nanoTime();
    }
    if (stub == null) {
      send(socket, method, 404, Map.of(), "no stub for " + method + " " + line[1] + "\n");
      return;
    }
    if (response.get("fault") instanceof String fault) {
      fail(socket, fault);
      return;
    }
    String text =
        response.containsKey("jsonBody")
            ? written(response.get("jsonBody"))
            : response.get("body") instanceof String given ? given : "";
    int status = number(response, "status", 200);
    send(socket, method, status, object(response, "headers"), text);
  }

  /** Nobody looks at the order of very many calls. */
  private synchronized int held() {
    return calls.size() > MAX_HELD ? 0 : SIDE_BY_SIDE;
  }

  private static Object value(String body) {
    try {
      return Json.parse(body);
    } catch (IllegalArgumentException e) {
      return body;
    }
  }

  /** Takes other stubs, or says what of them is not served here. */
  private synchronized String load(String file) {
    List<Map<?, ?>> given = new ArrayList<>();
    for (Object mapping : (List<?>) ((Map<?, ?>) Json.parse(file)).get("mappings")) {
      for (Map.Entry<String, Set<String>> part : KNOWN.entrySet()) {
        for (Object name : object((Map<?, ?>) mapping, part.getKey()).keySet()) {
          if (!part.getValue().contains(name)) {
            return name + " is not served here: run the tests by flaketap mock serve";
          }
        }
      }
      given.add((Map<?, ?>) mapping);
    }
    Collections.reverse(given);
    given.sort(Comparator.comparing(mapping -> number(mapping, "priority", 5)));
    stubs = given;
    states.clear();
    calls.clear();
    return "";
  }

  /** The stub that is for a call, null where there is none. */
  private synchronized Map<?, ?> choose(Call call) {
    calls.add(call);
    for (Map<?, ?> stub : stubs) {
      String scenario = String.valueOf(stub.get("scenarioName"));
      Object state = stub.get("requiredScenarioState");
      if (isFor(object(stub, "request"), call)
          && (state == null || state.equals(states.getOrDefault(scenario, "Started")))) {
        if (stub.get("newScenarioState") != null) {
          states.put(scenario, stub.get("newScenarioState"));
        }
        return stub;
      }
    }
    return null;
  }

  private static boolean isFor(Map<?, ?> request, Call call) {
    String service = call.text("service");
    String target = call.text("target");
    int colon = service.lastIndexOf(':');
    String host = service.substring(0, Math.max(colon, 0));
    String path = target.split("\\?", 2)[0];
    Object wanted = object(request, "host").get("equalTo");
    Object port = request.get("port");
    Object method = request.get("method");
    return (method == null || method.equals("ANY") || method.equals(call.text("method")))
        && (wanted == null || host.equalsIgnoreCase((String) wanted))
        && (port == null || Json.textOf(port).equals(service.substring(colon + 1)))
        && is(request.get("url"), target)
        && is(request.get("urlPath"), path)
        && matches(request.get("urlPattern"), target)
        && matches(request.get("urlPathPattern"), path);
  }

  private static boolean is(Object wanted, String text) {
    return wanted == null || wanted.equals(text);
  }

  private static boolean matches(Object pattern, String text) {
    return pattern == null
        || Pattern.compile((String) pattern, Pattern.DOTALL).matcher(text).matches();
  }

  /**
   * The calls as they began; those that were under way at the same time are sorted, and repeated
   * ones listed once.
   */
  private synchronized List<Map<String, Object>> asked() {
    List<List<Call>> groups = new ArrayList<>();
    long end = Long.MIN_VALUE;
    for (Call call : calls) {
      if (call.begun < end) {
        groups.get(groups.size() - 1).add(call);
        end = Math.max(end, call.ended);
      } else {
        groups.add(new ArrayList<>(List.of(call)));
        end = call.ended;
      }
    }
    List<Map<String, Object>> out = new ArrayList<>();
    String last = "";
    for (List<Call> group : groups) {
      group.sort(Comparator.comparing(Call::key));
      for (Call call : group) {
        int times = 1;
        if (call.key().equals(last)) {
          times = Math.min(1 + (int) out.get(out.size() - 1).get("times"), OFTEN);
          out.remove(out.size() - 1);
        }
        last = call.key();
        Map<String, Object> once = new LinkedHashMap<>(call.asked);
        once.put("times", times);
        out.add(once);
      }
    }
    return out;
  }

  private static Map<?, ?> object(Map<?, ?> of, String name) {
    return of.get(name) instanceof Map<?, ?> object ? object : Map.of();
  }

  private static int number(Map<?, ?> of, String name, int otherwise) {
    return of.get(name) instanceof Json.Num number ? number.value().intValue() : otherwise;
  }

  /** A value as JSON; numbers as they were written. */
  private static String written(Object value) {
    if (value instanceof Map<?, ?> object) {
      return object.entrySet().stream()
          .map(e -> Json.quoted((String) e.getKey()) + ":" + written(e.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    }
    if (value instanceof List<?> array) {
      return array.stream().map(Stubs::written).collect(Collectors.joining(",", "[", "]"));
    }
    if (value instanceof Json.Num number) {
      return number.token();
    }
    return value instanceof String text ? Json.quoted(text) : String.valueOf(value);
  }

  private static void send(Socket socket, String method, int status, Map<?, ?> headers, String body)
      throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    boolean empty = status == 204 || status == 304;
    StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " -\r\n");
    headers.forEach(
        (name, value) -> {
          for (Object line : value instanceof List<?> several ? several : List.of(value)) {
            head.append(name).append(": ").append(line).append("\r\n");
          }
        });
    if (!empty) {
      head.append("Content-Length: ").append(bytes.length).append("\r\n");
    }
    head.append("Connection: close\r\n");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
    if (!empty && !method.equals("HEAD")) {
      out.write(bytes);
    }
    socket.getOutputStream().write(out.toByteArray());
  }

  /** Ends a connection in the way of a fault. */
  private static void fail(Socket socket, String fault) throws IOException {
    String said =
        switch (fault) {
          case "MALFORMED_RESPONSE_CHUNK" ->
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk";
          case "RANDOM_DATA_THEN_CLOSE" -> "\u0016no HTTP\u0000";
          default -> "";
        };
    if (fault.equals("CONNECTION_RESET_BY_PEER")) {
      socket.setSoLinger(true, 0);
    }
    socket.getOutputStream().write(said.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static String body(InputStream in, Map<String, String> headers) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    if (headers.getOrDefault("transfer-encoding", "").equalsIgnoreCase("chunked")) {
      int size;
      do {
        size = Integer.parseInt(line(in).split(";")[0].strip(), 16);
        out.write(in.readNBytes(size));
        line(in);
      } while (size > 0);
    } else {
      out.write(in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0"))));
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  /** A line without its end, null where there is none. */
  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        return null;
      }
      out.write(c);
    }
    return out.toString(StandardCharsets.ISO_8859_1).replaceFirst("\r$", "");
  }
}
