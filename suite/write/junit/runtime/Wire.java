package flaketap;

import io.restassured.builder.ResponseBuilder;
import io.restassured.filter.FilterContext;
import io.restassured.filter.OrderedFilter;
import io.restassured.http.Header;
import io.restassured.http.Headers;
import io.restassured.response.Response;
import io.restassured.specification.FilterableRequestSpecification;
import io.restassured.specification.FilterableResponseSpecification;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.zip.DataFormatException;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * Sends a request as the test says it, byte for byte: what an HTTP client adds, merges, encodes or
 * follows is not what was recorded. It is the last filter of each request, and answers in the
 * client's stead.
 */
final class Wire implements OrderedFilter {
  /** The value of a header that is not sent: REST-assured adds some where a request has none. */
  static final String NONE = "flaketap/none";

  // Names in the context of filters: what is sent as target and method, that it is chunked, and for
  // how many seconds its answer is waited for.
  static final String TARGET = "flaketap.target";

  static final String METHOD = "flaketap.method";
  static final String CHUNKED = "flaketap.chunked";
  static final String WITHIN = "flaketap.within";

  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  @Override
  public Response filter(
      FilterableRequestSpecification request,
      FilterableResponseSpecification expected,
      FilterContext context) {
    URI base = URI.create(request.getBaseUri());
    int timeout =
        context.hasValue(WITHIN)
            ? 1000 * context.<Integer>getValue(WITHIN)
            : (int) (1000 * Double.parseDouble(Api.environment("FLAKETAP_TIMEOUT", "30")));
    String method = context.hasValue(METHOD) ? context.getValue(METHOD) : request.getMethod();
    try {
      byte[] message = message(method, target(request, context, base), request, context, base);
      Response answer = send(message, method, base, timeout);
      String sent = new String(message, StandardCharsets.ISO_8859_1);
      Api.noteRefusal(sent.split("\r\n\r\n", 2)[0], answer.statusCode());
      return answer;
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + base + ": " + e.getMessage(), e);
    }
  }

  private static Response send(byte[] message, String method, URI base, int timeout)
      throws IOException {
    try (Socket socket = connect(base, timeout)) {
      socket.getOutputStream().write(message);
      socket.getOutputStream().flush();
      return answer(new BufferedInputStream(socket.getInputStream()), method);
    }
  }

  private static String target(
      FilterableRequestSpecification request, FilterContext context, URI base) {
    if (context.hasValue(TARGET)) {
      return base.getRawPath().replaceFirst("/+$", "") + context.getValue(TARGET);
    }
    URI uri = URI.create(request.getURI());
    return uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
  }

  private static byte[] message(
      String method,
      String target,
      FilterableRequestSpecification request,
      FilterContext context,
      URI base)
      throws IOException {
    StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
    head.append("Host: ").append(Api.authority(base)).append("\r\n");
    for (Header header : request.getHeaders()) {
      if (!header.getValue().equals(NONE)) {
        head.append(header.getName()).append(": ").append(header.getValue()).append("\r\n");
      }
    }
    byte[] body = bytes(request.getBody());
    boolean chunked = context.hasValue(CHUNKED);
    if (chunked) {
      head.append("Transfer-Encoding: chunked\r\n");
    } else if (body != null) {
      head.append("Content-Length: ").append(body.length).append("\r\n");
    }
    head.append("\r\n");
    boolean latin = head.chars().allMatch(c -> c < 256);
    Charset charset = latin ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(head.toString().getBytes(charset));
    if (chunked && body != null && body.length > 0) {
      out.write((Integer.toHexString(body.length) + "\r\n").getBytes(charset));
      out.write(body);
      out.write("\r\n".getBytes(charset));
    }
    out.write(chunked ? "0\r\n\r\n".getBytes(charset) : body == null ? new byte[0] : body);
    return out.toByteArray();
  }

  private static byte[] bytes(Object body) {
    return body instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : (byte[]) body;
  }

  private static Socket connect(URI base, int timeout) throws IOException {
    boolean secure = "https".equalsIgnoreCase(base.getScheme());
    int port = base.getPort() >= 0 ? base.getPort() : secure ? 443 : 80;
    String host = base.getHost().replaceAll("^\\[|]$", "");
    Socket socket = new Socket();
    socket.connect(new InetSocketAddress(host, port), timeout);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(timeout);
    if (!secure) {
      return socket;
    }
    SSLSocket tls = (SSLSocket) Trust.factory().createSocket(socket, host, port, true);
    if (!Trust.insecure()) {
      SSLParameters parameters = tls.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      tls.setSSLParameters(parameters);
    }
    return tls;
  }

  private static Response answer(InputStream in, String method) throws IOException {
    String status;
    List<Header> headers;
    int code;
    do { // what is said before the answer
      status = line(in);
      code = Integer.parseInt(status.split(" ", 3)[1]);
      headers = headers(in);
    } while (code >= 100 && code < 200 && code != 101);
    boolean empty = method.equals("HEAD") || code < 200 || code == 204 || code == 304;
    byte[] body =
        decoded(empty ? new byte[0] : body(in, headers), values(headers, "Content-Encoding"));
    List<String> types = values(headers, "Content-Type");
    if (!types.isEmpty()) { // the builder sets it once more
      headers.removeIf(h -> h.getName().equalsIgnoreCase("Content-Type"));
    }
    ResponseBuilder builder = new ResponseBuilder().setStatusCode(code).setStatusLine(status);
    builder.setHeaders(new Headers(headers)).setBody(body);
    return types.isEmpty()
        ? builder.build()
        : builder.setContentType(String.join(", ", types)).build();
  }

  private static List<Header> headers(InputStream in) throws IOException {
    List<Header> headers = new ArrayList<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        headers.add(
            new Header(line.substring(0, colon).strip(), line.substring(colon + 1).strip()));
      }
    }
    return headers;
  }

  private static List<String> values(List<Header> headers, String name) {
    return headers.stream()
        .filter(h -> h.getName().equalsIgnoreCase(name))
        .map(Header::getValue)
        .toList();
  }

  private static byte[] body(InputStream in, List<Header> headers) throws IOException {
    if (String.join(",", values(headers, "Transfer-Encoding"))
        .toLowerCase(Locale.ROOT)
        .contains("chunked")) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      for (int size = chunk(in); size > 0; size = chunk(in)) {
        out.write(exactly(in, size));
        line(in);
      }
      headers(in); // the trailer
      return out.toByteArray();
    }
    List<String> length = values(headers, "Content-Length");
    return length.isEmpty() ? in.readAllBytes() : exactly(in, Integer.parseInt(length.get(0)));
  }

  private static int chunk(InputStream in) throws IOException {
    return Integer.parseInt(line(in).split(";")[0].strip(), 16);
  }

  private static byte[] exactly(InputStream in, int size) throws IOException {
    byte[] bytes = in.readNBytes(size);
    if (bytes.length < size) {
      throw new EOFException("the answer ends after " + bytes.length + " of " + size + " bytes");
    }
    return bytes;
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the answer ends within its head");
      }
      out.write(c);
    }
    return out.toString(StandardCharsets.ISO_8859_1).replaceFirst("\r$", "");
  }

  /**
   * Undoes content codings; those that the JDK does not know need a library that pom.xml names
   * where it is needed.
   */
  private static byte[] decoded(byte[] body, List<String> codings) throws IOException {
    List<String> names =
        new ArrayList<>(List.of(String.join(",", codings).toLowerCase(Locale.ROOT).split(",")));
    Collections.reverse(names);
    for (String name : names) {
      if (body.length == 0) {
        return body;
      }
      switch (name.strip()) {
        case "gzip", "x-gzip" ->
            body = new GZIPInputStream(new ByteArrayInputStream(body)).readAllBytes();
        case "deflate" -> body = inflated(body);
        case "br" -> body = library("org.brotli.dec.BrotliInputStream", body);
        case "zstd" -> body = library("com.github.luben.zstd.ZstdInputStream", body);
        default -> {}
      }
    }
    return body;
  }

  private static byte[] inflated(byte[] body) throws IOException {
    try {
      return inflated(body, new Inflater());
    } catch (DataFormatException e) { // some send it without the frame that belongs to it
      try {
        return inflated(body, new Inflater(true));
      } catch (DataFormatException again) {
        throw new IOException("the answer is no deflate", again);
      }
    }
  }

  private static byte[] inflated(byte[] body, Inflater inflater) throws DataFormatException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] buffer = new byte[8192];
    inflater.setInput(body);
    while (!inflater.finished()) {
      int n = inflater.inflate(buffer);
      if (n == 0 && inflater.needsInput()) {
        throw new DataFormatException("it ends early");
      }
      out.write(buffer, 0, n);
    }
    inflater.end();
    return out.toByteArray();
  }

  private static byte[] library(String name, byte[] body) throws IOException {
    try (InputStream in =
        (InputStream)
            Class.forName(name)
                .getConstructor(InputStream.class)
                .newInstance(new ByteArrayInputStream(body))) {
      return in.readAllBytes();
    } catch (ReflectiveOperationException e) {
      throw new IOException("the answer cannot be read without " + name + ": see pom.xml", e);
    }
  }
}
