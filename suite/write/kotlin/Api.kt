package flaketap

import io.restassured.RestAssured
import io.restassured.config.EncoderConfig
import io.restassured.config.RestAssuredConfig
import io.restassured.filter.Filter
import io.restassured.parsing.Parser
import io.restassured.response.Response
import io.restassured.specification.RequestSpecification
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.nio.file.Files
import java.nio.file.Path
import java.time.Duration
import java.util.Base64
import java.util.concurrent.TimeUnit

// The API under test, and what the tests share: FLAKETAP_URL says where it is, or else the
// recording does; FLAKETAP_RESET is
// a URL that is sent a POST, or a command of the shell, before the first test.

/**
 * What the recording says: where it was made, the values that its answers gave, the order of the
 * tests.
 */
object Recorded {
  private val all = read()
  val target = all["target"] as String
  val order = (all["tests"] as List<*>).map { it as String }

  /** A value that an answer gave in the recording. */
  fun value(name: String): String {
    val value =
      (all["bound"] as List<*>).map { it as Map<*, *> }.firstOrNull { it["name"] == name }
        ?: throw IllegalArgumentException("the recording has no value $name")
    return (value["recorded"] as List<*>).joinToString("") {
      if (it is Map<*, *>) secret(it["secret"] as String) else "$it"
    }
  }

  private fun read() =
    Recorded::class.java.getResourceAsStream("/flaketap/recorded.json")!!.use {
      Json.parse(String(it.readAllBytes())) as Map<*, *>
    }
}

private val bound = mutableMapOf<String, String>()
private val answered = mutableSetOf<String>()
private var cleaning = false
private val done = mutableSetOf<String>()

private val asItIs =
  RestAssuredConfig.config()
    .encoderConfig(
      EncoderConfig.encoderConfig().appendDefaultContentCharsetToContentTypeIfUndefined(false)
    )

private val url = environment("FLAKETAP_URL", Recorded.target)

/** What has to be done before the first request. */
private val start by lazy {
  RestAssured.defaultParser = Parser.JSON
  val how = environment("FLAKETAP_RESET", "")
  if (how != "") reset(how)
}

/** Begins a request, which is sent as it stands in the test. */
fun given(): RequestSpecification {
  start
  return RestAssured.given()
    .config(asItIs)
    .urlEncodingEnabled(false)
    .baseUri(url)
    .header("Accept", Wire.NONE)
    .header("Content-Type", Wire.NONE)
    .filter(Wire())
}

/** The target of a request that REST-assured would write otherwise, sent as it is. */
fun target(target: String) = noting(Wire.TARGET, target)

/** The method of a request that REST-assured would write otherwise, sent as it is. */
fun method(method: String) = noting(Wire.METHOD, method)

/** Sends the body in chunks. */
fun chunked() = noting(Wire.CHUNKED, true)

private fun noting(name: String, value: Any) = Filter { request, response, context ->
  context.setValue(name, value)
  context.next(request, response)
}

/**
 * Runs a set-up that is needed but once: where it fails, it fails one test, and is not sent again.
 */
fun once(name: String, setUp: () -> Unit) {
  if (done.add(name)) {
    setUp()
  }
}

/**
 * Runs a clean-up, which takes away nothing but what answers named. What becomes of it is no matter
 * of the test.
 */
fun cleanUp(step: () -> Unit) {
  cleaning = true
  try {
    step()
  } catch (e: Exception) {
    System.err.println("clean-up: $e")
  } finally {
    cleaning = false
  }
}

fun answer(res: Response) = Answer(res)

/** Keeps the value that an answer gives. Where it gives none, the one known so far stays. */
fun take(res: Response, name: String, place: String) {
  val value = Answer(res).taken(place)
  if (!value.isNullOrEmpty()) {
    bound[name] = value
    answered += name
  }
}

/** As take; but while the list still holds the value known so far, that is the one meant. */
fun find(res: Response, name: String, place: String) {
  if (bound(name) !in Answer(res).listed(place)) take(res, name, place)
}

/** A value that an answer gave; until then, that of the recording. */
fun bound(name: String): String {
  check(!cleaning || name in answered) { "no answer gave $name" }
  return bound.getOrPut(name) { Recorded.value(name) }
}

/** A credential of the recording, from secrets.json or the file that FLAKETAP_SECRETS names. */
fun secret(token: String): String {
  val beside = System.getProperty("basedir", ".") + "/secrets.json"
  val path = Path.of(environment("FLAKETAP_SECRETS", beside))
  check(Files.exists(path)) { "$path is missing: it holds the credentials that the tests send" }
  val secrets = Json.parse(Files.readString(path)) as Map<*, *>
  return secrets[token] as? String ?: throw IllegalStateException("$path has no value for $token")
}

/** The parts of a text that is too long for one constant. */
fun text(vararg parts: String) = parts.joinToString("")

/** The authority of the API, or of another address, as requests name it. */
fun host(base: String = url) = authority(URI.create(base))

fun authority(base: URI): String = base.rawAuthority.substringAfterLast('@')

fun inPath(value: String) = escaped(value, "~!$&'()*+,;=:@")

fun inQuery(value: String) = escaped(value, "~!$'()*,:@/?")

private fun escaped(value: String, safe: String) =
  value.toByteArray().joinToString("") { b ->
    val c = b.toInt().toChar()
    val plain =
      b > 0 && (c in 'a'..'z' || c in 'A'..'Z' || c in '0'..'9' || c in "-._" || c in safe)
    if (plain) "$c" else "%%%02X".format(b)
  }

/** A text as it stands within a JSON string. */
fun inJson(value: String) = Json.quoted(value).drop(1).dropLast(1)

/** A text as a JSON value: a number where it is one, else a string. */
fun asJson(value: String): String =
  try {
    if (Json.parse(value) is Num) value else Json.quoted(value)
  } catch (_: IllegalArgumentException) {
    Json.quoted(value)
  }

/** The bytes of a body that is no text. */
fun fromBase64(value: String): ByteArray = Base64.getDecoder().decode(value)

fun environment(name: String, otherwise: String) =
  System.getenv(name)?.ifEmpty { null } ?: otherwise

private fun reset(how: String) {
  if (how.startsWith("http://") || how.startsWith("https://")) {
    val post =
      HttpRequest.newBuilder(URI.create(how))
        .timeout(Duration.ofSeconds(60))
        .POST(HttpRequest.BodyPublishers.noBody())
        .build()
    val status =
      HttpClient.newHttpClient().send(post, HttpResponse.BodyHandlers.discarding()).statusCode()
    check(status in 200..299) { "reset: $how answers $status" }
    return
  }
  val process = ProcessBuilder("sh", "-c", how).inheritIO().start()
  if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
    process.destroy()
    throw IllegalStateException("reset: $how did not succeed")
  }
}
