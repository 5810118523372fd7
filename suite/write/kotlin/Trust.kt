package flaketap

import java.security.cert.X509Certificate
import javax.net.ssl.SSLContext
import javax.net.ssl.SSLSocketFactory
import javax.net.ssl.X509TrustManager

/**
 * Which servers are trusted: those that the JDK trusts, or, where FLAKETAP_INSECURE is set, every
 * one.
 */
object Trust : X509TrustManager {
  val insecure = environment("FLAKETAP_INSECURE", "") != ""

  val factory: SSLSocketFactory by lazy {
    if (insecure) {
      SSLContext.getInstance("TLS").apply { init(null, arrayOf(Trust), null) }.socketFactory
    } else {
      SSLSocketFactory.getDefault() as SSLSocketFactory
    }
  }

  override fun checkClientTrusted(chain: Array<X509Certificate>, type: String) {}

  override fun checkServerTrusted(chain: Array<X509Certificate>, type: String) {}

  override fun getAcceptedIssuers() = arrayOf<X509Certificate>()
}
