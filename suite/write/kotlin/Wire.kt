package flaketap

import io.restassured.builder.ResponseBuilder
import io.restassured.filter.FilterContext
import io.restassured.filter.OrderedFilter
import io.restassured.http.Header
import io.restassured.http.Headers
import io.restassured.response.Response
import io.restassured.specification.FilterableRequestSpecification
import io.restassured.specification.FilterableResponseSpecification
import java.io.BufferedInputStream
import java.io.ByteArrayOutputStream
import java.io.EOFException
import java.io.IOException
import java.io.InputStream
import java.io.UncheckedIOException
import java.net.InetSocketAddress
import java.net.Socket
import java.net.URI
import java.util.zip.DataFormatException
import java.util.zip.GZIPInputStream
import java.util.zip.Inflater
import javax.net.ssl.SSLSocket

/**
 * Sends a request as the test says it, byte for byte: what an HTTP client adds, merges, encodes or
 * follows is not what was recorded. It is the last filter of each request, and answers in the
 * client's stead.
 */
class Wire : OrderedFilter {
  override fun getOrder() = OrderedFilter.LOWEST_PRECEDENCE

  override fun filter(
    request: FilterableRequestSpecification,
    expected: FilterableResponseSpecification,
    context: FilterContext,
  ): Response {
    val base = URI.create(request.baseUri)
    val method = if (context.hasValue(METHOD)) context.getValue(METHOD) else request.method
    try {
      connect(base).use {
        it
          .getOutputStream()
          .write(message(method, target(request, context, base), request, context, base))
        it.getOutputStream().flush()
        return answer(BufferedInputStream(it.getInputStream()), method)
      }
    } catch (e: IOException) {
      throw UncheckedIOException("$method $base: ${e.message}", e)
    }
  }

  private fun target(
    request: FilterableRequestSpecification,
    context: FilterContext,
    base: URI,
  ): String {
    if (context.hasValue(TARGET))
      return base.rawPath.trimEnd('/') + context.getValue<String>(TARGET)
    val uri = URI.create(request.uri)
    return uri.rawPath + if (uri.rawQuery == null) "" else "?" + uri.rawQuery
  }

  private fun message(
    method: String,
    target: String,
    request: FilterableRequestSpecification,
    context: FilterContext,
    base: URI,
  ): ByteArray {
    val head = StringBuilder("$method $target HTTP/1.1\r\nHost: ${authority(base)}\r\n")
    request.headers
      .filter { it.value != NONE }
      .forEach { head.append("${it.name}: ${it.value}\r\n") }
    val given: Any? = request.getBody()
    val body = if (given is String) given.toByteArray() else given as ByteArray?
    val chunked = context.hasValue(CHUNKED)
    if (chunked) {
      head.append("Transfer-Encoding: chunked\r\n")
    } else if (body != null) {
      head.append("Content-Length: ${body.size}\r\n")
    }
    head.append("\r\n")
    val charset = if (head.all { it.code < 256 }) Charsets.ISO_8859_1 else Charsets.UTF_8
    val out = ByteArrayOutputStream()
    out.write(head.toString().toByteArray(charset))
    if (chunked && body != null && body.isNotEmpty()) {
      out.write("${body.size.toString(16)}\r\n".toByteArray())
      out.write(body)
      out.write("\r\n".toByteArray())
    }
    out.write(if (chunked) "0\r\n\r\n".toByteArray() else body ?: ByteArray(0))
    return out.toByteArray()
  }

  private fun connect(base: URI): Socket {
    val secure = base.scheme.equals("https", ignoreCase = true)
    val port = if (base.port >= 0) base.port else if (secure) 443 else 80
    val host = base.host.removeSurrounding("[", "]")
    val timeout = (1000 * environment("FLAKETAP_TIMEOUT", "30").toDouble()).toInt()
    val socket = Socket()
    socket.connect(InetSocketAddress(host, port), timeout)
    socket.tcpNoDelay = true
    socket.soTimeout = timeout
    if (!secure) return socket
    val tls = Trust.factory.createSocket(socket, host, port, true) as SSLSocket
    if (!Trust.insecure) {
      tls.sslParameters = tls.sslParameters.apply { endpointIdentificationAlgorithm = "HTTPS" }
    }
    return tls
  }

  private fun answer(input: InputStream, method: String): Response {
    var status: String
    var headers: List<Header>
    var code: Int
    do { // what is said before the answer
      status = line(input)
      code = status.split(" ")[1].toInt()
      headers = headers(input)
    } while (code in 100..199 && code != 101)
    val empty = method == "HEAD" || code < 200 || code == 204 || code == 304
    val raw = if (empty) ByteArray(0) else body(input, headers)
    val types = values(headers, "Content-Type")
    val others = headers.filter { !it.name.equals("Content-Type", ignoreCase = true) }
    val builder =
      ResponseBuilder().setStatusCode(code).setStatusLine(status).setHeaders(Headers(others))
    builder.setBody(decoded(raw, values(headers, "Content-Encoding")))
    if (types.isNotEmpty()) builder.setContentType(types.joinToString(", "))
    return builder.build()
  }

  private fun headers(input: InputStream) =
    generateSequence { line(input).ifEmpty { null } }
      .filter { it.indexOf(':') > 0 }
      .map { Header(it.substringBefore(':').trim(), it.substringAfter(':').trim()) }
      .toList()

  private fun values(headers: List<Header>, name: String) =
    headers.filter { it.name.equals(name, ignoreCase = true) }.map { it.value }

  private fun body(input: InputStream, headers: List<Header>): ByteArray {
    if (values(headers, "Transfer-Encoding").any { "chunked" in it.lowercase() }) {
      val out = ByteArrayOutputStream()
      var size = chunk(input)
      while (size > 0) {
        out.write(exactly(input, size))
        line(input)
        size = chunk(input)
      }
      headers(input) // the trailer
      return out.toByteArray()
    }
    val length = values(headers, "Content-Length").firstOrNull()
    return if (length == null) input.readAllBytes() else exactly(input, length.toInt())
  }

  private fun chunk(input: InputStream) = line(input).substringBefore(';').trim().toInt(16)

  private fun exactly(input: InputStream, size: Int): ByteArray {
    val bytes = input.readNBytes(size)
    if (bytes.size < size) throw EOFException("the answer ends after ${bytes.size} of $size bytes")
    return bytes
  }

  private fun line(input: InputStream): String {
    val out = ByteArrayOutputStream()
    var c = input.read()
    while (c != '\n'.code) {
      if (c < 0) throw EOFException("the answer ends within its head")
      out.write(c)
      c = input.read()
    }
    return out.toString(Charsets.ISO_8859_1).removeSuffix("\r")
  }

  /**
   * Undoes content codings; those that the JDK does not know need a library that pom.xml names
   * where it is needed.
   */
  private fun decoded(body: ByteArray, codings: List<String>) =
    codings
      .flatMap { it.lowercase().split(",") }
      .map { it.trim() }
      .foldRight(body) { coding, bytes ->
        when {
          bytes.isEmpty() -> bytes
          coding == "gzip" || coding == "x-gzip" ->
            GZIPInputStream(bytes.inputStream()).readAllBytes()
          coding == "deflate" -> inflated(bytes)
          coding == "br" -> library("org.brotli.dec.BrotliInputStream", bytes)
          coding == "zstd" -> library("com.github.luben.zstd.ZstdInputStream", bytes)
          else -> bytes
        }
      }

  private fun inflated(body: ByteArray) =
    try {
      inflated(body, Inflater())
    } catch (_: DataFormatException) { // some send it without the frame that belongs to it
      inflated(body, Inflater(true))
    }

  private fun inflated(body: ByteArray, inflater: Inflater): ByteArray {
    val out = ByteArrayOutputStream()
    val buffer = ByteArray(8192)
    inflater.setInput(body)
    while (!inflater.finished()) {
      val n = inflater.inflate(buffer)
      if (n == 0 && inflater.needsInput()) throw DataFormatException("it ends early")
      out.write(buffer, 0, n)
    }
    inflater.end()
    return out.toByteArray()
  }

  private fun library(name: String, body: ByteArray): ByteArray =
    try {
      val reader = Class.forName(name).getConstructor(InputStream::class.java)
      (reader.newInstance(body.inputStream()) as InputStream).use { it.readAllBytes() }
    } catch (e: ReflectiveOperationException) {
      throw IOException("the answer cannot be read without $name: see pom.xml", e)
    }

  companion object {
    /** The value of a header that is not sent: REST-assured adds some where a request has none. */
    const val NONE = "flaketap/none"

    // Names in the context of filters: what is sent as target and method, and that it is chunked.
    const val TARGET = "flaketap.target"
    const val METHOD = "flaketap.method"
    const val CHUNKED = "flaketap.chunked"
  }
}
