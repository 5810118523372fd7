package flaketap;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyUrl;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.options;

import com.github.tomakehurst.wiremock.WireMockServer;
import com.github.tomakehurst.wiremock.admin.Router;
import com.github.tomakehurst.wiremock.common.InvalidInputException;
import com.github.tomakehurst.wiremock.core.Options.ChunkedEncodingPolicy;
import com.github.tomakehurst.wiremock.extension.AdminApiExtension;
import com.github.tomakehurst.wiremock.extension.ResponseTransformerV2;
import com.github.tomakehurst.wiremock.extension.requestfilter.RequestFilterAction;
import com.github.tomakehurst.wiremock.extension.requestfilter.RequestWrapper;
import com.github.tomakehurst.wiremock.extension.requestfilter.StubRequestFilterV2;
import com.github.tomakehurst.wiremock.http.HttpHeader;
import com.github.tomakehurst.wiremock.http.HttpHeaders;
import com.github.tomakehurst.wiremock.http.Request;
import com.github.tomakehurst.wiremock.http.RequestMethod;
import com.github.tomakehurst.wiremock.http.Response;
import com.github.tomakehurst.wiremock.http.ResponseDefinition;
import com.github.tomakehurst.wiremock.stubbing.ServeEvent;
import com.github.tomakehurst.wiremock.stubbing.StubMapping;
import com.github.tomakehurst.wiremock.stubbing.StubMappingCollection;
import com.github.tomakehurst.wiremock.verification.LoggedRequest;
import java.net.URI;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Has WireMock serve stubs, of several services at one port: the first segment of a path is the
 * service, as in http://127.0.0.1:9000/rates.example.com:443/latest.
 */
final class Stubs implements StubRequestFilterV2, ResponseTransformerV2, AdminApiExtension {
  // As often as calls in a row are counted: how often what never ends depends on the machine.
  private static final int OFTEN = 10;
  // How many milliseconds every answer is held back: calls that are made side by side may come one
  // after the other, and are known as what they are only while the first has no answer.
  private static final int SIDE_BY_SIDE = 20;
  private static final int MAX_HELD = 100; // nobody looks at the order of very many calls
  private static final int THREADS = 200; // answers that are late keep one each
  private static final int MAX_WARM = 20;
  private static final long QUICK = 100_000_000; // nanoseconds, for two answers that are held back
  private static final List<String> REFERRING = List.of("location", "link");
  private static final String WARM =
      """
      {"mappings": [{
        "request": {"host": {"equalTo": "known"}, "port": 80, "method": "GET", "urlPath": "/"},
        "response": {"headers": {"Content-Type": "application/json"}, "jsonBody": {}}
      }]}
      """;

  private final WireMockServer wireMock;
  private final AtomicInteger served = new AtomicInteger();

  Stubs(int port) {
    wireMock =
        new WireMockServer(
            options()
                .bindAddress("127.0.0.1")
                .port(port)
                .usingFilesUnderDirectory("mocks") // it finds none there by itself
                .containerThreads(THREADS)
                .http2PlainDisabled(true)
                .gzipDisabled(true)
                .useChunkedTransferEncoding(ChunkedEncodingPolicy.NEVER)
                .extensions(this));
    wireMock.start();
    warmUp();
  }

  /** Answers until that is quick: the first answers take longer than some clients wait. */
  private void warmUp() {
    load(WARM);
    HttpClient client = HttpClient.newBuilder().proxy(HttpClient.Builder.NO_PROXY).build();
    for (int turn = 0; turn < MAX_WARM; turn++) {
      long begun = System.nanoTime();
      for (String service : List.of("known:80", "unknown:80")) {
        URI uri = URI.create("http://127.0.0.1:" + wireMock.port() + "/" + service + "/");
        HttpRequest get = HttpRequest.newBuilder(uri).build();
        client.sendAsync(get, HttpResponse.BodyHandlers.discarding()).join();
      }
      if (System.nanoTime() - begun < QUICK) {
        return;
      }
    }
  }

  /** Where WireMock is told the stubs, and tells what it was asked. */
  String url() {
    return "http://127.0.0.1:" + wireMock.port() + "/__admin";
  }

  @Override
  public String getName() {
    return "flaketap";
  }

  @Override
  public void contributeAdminApiRoutes(Router router) {
    router.add(
        RequestMethod.PUT,
        "/stubs",
        (admin, event, path) -> load(event.getRequest().getBodyAsString()));
    router.add(
        RequestMethod.GET,
        "/calls",
        (admin, event, path) ->
            aResponse()
                .withHeader("Content-Type", "application/json")
                .withBody(written(Map.of("calls", asked())))
                .build());
  }

  /** Takes other stubs, in the order of their file, or says what is wrong with them. */
  private ResponseDefinition load(String file) {
    try {
      List<? extends StubMapping> mappings =
          com.github.tomakehurst.wiremock.common.Json.read(file, StubMappingCollection.class)
              .getMappingOrMappings();
      wireMock.resetToDefaultMappings(); // to none, and forgets the calls
      served.set(0);
      wireMock.stubFor(
          any(anyUrl())
              .atPriority(Integer.MAX_VALUE)
              .willReturn(aResponse().withStatus(404).withBody("no stub is for this request\n")));
      mappings.forEach(wireMock::addStubMapping);
      return aResponse().withStatus(204).build();
    } catch (InvalidInputException e) {
      return aResponse().withStatus(422).withBody(e.getMessage()).build();
    }
  }

  /** Has WireMock see a request as the service would. */
  @Override
  public RequestFilterAction filter(Request request, ServeEvent event) {
    return RequestFilterAction.continueWith(new ToService(request));
  }

  private static final class ToService extends RequestWrapper {
    private final String service;
    private final String target;

    ToService(Request request) {
      super(request);
      String[] path = request.getUrl().split("/", 3);
      service = URLDecoder.decode(path[1], StandardCharsets.UTF_8);
      target = "/" + (path.length > 2 ? path[2] : "");
    }

    @Override
    public String getHost() {
      return service.replaceFirst(":\\d*$", "").toLowerCase(Locale.ROOT);
    }

    @Override
    public int getPort() {
      String port = service.substring(service.lastIndexOf(':') + 1);
      return port.matches("\\d{1,5}") ? Integer.parseInt(port) : -1;
    }

    @Override
    public String getAbsoluteUrl() {
      return "http://" + service + target;
    }
  }

  /**
   * Holds an answer back, and has it end the connection: no call depends on one that another left.
   */
  @Override
  public Response transform(Response response, ServeEvent event) {
    List<HttpHeader> headers = new ArrayList<>(response.getHeaders().all());
    headers.removeIf(h -> h.key().startsWith("Matched-Stub-")); // WireMock's own
    String service = event.getRequest().getAbsoluteUrl().split("/", 4)[2];
    headers.replaceAll(
        h -> REFERRING.contains(h.key().toLowerCase(Locale.ROOT)) ? here(h, service) : h);
    headers.add(new HttpHeader("Connection", "close"));
    long held = served.incrementAndGet() > MAX_HELD ? 0 : SIDE_BY_SIDE;
    return Response.Builder.like(response)
        .headers(new HttpHeaders(headers))
        .incrementInitialDelay(Math.max(0, held - response.getInitialDelay()))
        .build();
  }

  /** A field of a head whose references to their own service lead here. */
  private HttpHeader here(HttpHeader header, String service) {
    String host = service.replaceFirst(":\\d*$", "");
    String port = service.substring(host.length());
    Pattern own =
        Pattern.compile(
            "(^|<)(https?://" + Pattern.quote(host) + "(?:" + Pattern.quote(port) + ")?)?/(?!/)");
    String at = "http://127.0.0.1:" + wireMock.port();
    Function<MatchResult, String> lead =
        m -> m.group(1) + (m.group(2) == null ? "" : at) + "/" + service + "/";
    List<String> values =
        header.values().stream()
            .map(v -> own.matcher(v).replaceAll(m -> Matcher.quoteReplacement(lead.apply(m))))
            .toList();
    return new HttpHeader(header.key(), values);
  }

  /** A call to a service, and when it began and was answered, at the earliest, in milliseconds. */
  private record Call(Map<String, Object> asked, String key, long begun, long ended) {
    static Call of(ServeEvent event) {
      LoggedRequest request = event.getRequest();
      Map<String, Object> asked = new LinkedHashMap<>();
      asked.put("service", request.getAbsoluteUrl().split("/", 4)[2]);
      asked.put("method", request.getMethod().value());
      asked.put("target", request.getUrl());
      if (request.getBody().length > 0) {
        asked.put("body", value(new String(request.getBody(), StandardCharsets.UTF_8)));
      }
      long begun = request.getLoggedDate().getTime();
      return new Call(asked, written(asked), begun, begun + event.getTiming().getAddedDelay());
    }

    private static Object value(String body) {
      try {
        return Json.parse(body);
      } catch (IllegalArgumentException e) {
        return body;
      }
    }
  }

  /**
   * The calls as they began; those that were under way at the same time are sorted, and repeated
   * ones listed once.
   */
  private List<Map<String, Object>> asked() {
    List<ServeEvent> events = new ArrayList<>(wireMock.getAllServeEvents());
    Collections.reverse(events); // the last comes first
    List<Call> calls = new ArrayList<>(events.stream().map(Call::of).toList());
    calls.sort(Comparator.comparing(Call::begun));
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
        if (call.key.equals(last)) {
          times = Math.min(1 + (int) out.get(out.size() - 1).get("times"), OFTEN);
          out.remove(out.size() - 1);
        }
        last = call.key;
        Map<String, Object> once = new LinkedHashMap<>(call.asked);
        once.put("times", times);
        out.add(once);
      }
    }
    return out;
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
}
