package flaketap;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * Which servers are trusted: those that the JDK trusts, or, where FLAKETAP_INSECURE is set, every
 * one.
 */
final class Trust implements X509TrustManager {
  static boolean insecure() {
    return !Api.environment("FLAKETAP_INSECURE", "").isEmpty();
  }

  static SSLSocketFactory factory() throws IOException {
    if (!insecure()) {
      return (SSLSocketFactory) SSLSocketFactory.getDefault();
    }
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {new Trust()}, null);
      return context.getSocketFactory();
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) {}

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) {}

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return new X509Certificate[0];
  }
}
