import static io.restassured.RestAssured.given;

import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.http.client.methods.CloseableHttpResponse;
import org.apache.http.client.methods.HttpPost;
import org.apache.http.entity.StringEntity;
import org.apache.http.impl.client.CloseableHttpClient;

/** Posts a body to each URL with the client named first, set up as its manual's first example has it. */
public class Client {
    public static void main(String[] args) throws Exception {
        for (int i = 2; i < args.length; i++) {
            int status = post(args[0], args[i], args[1]);
            if (status != 200) {
                throw new IllegalStateException(args[i] + " answers " + status);
            }
        }
    }

    private static int post(String client, String url, String body) throws Exception {
        switch (client) {
            case "HttpURLConnection": {
                HttpURLConnection c = (HttpURLConnection) URI.create(url).toURL().openConnection();
                c.setRequestMethod("POST");
                c.setDoOutput(true);
                try (OutputStream out = c.getOutputStream()) {
                    out.write(body.getBytes(StandardCharsets.UTF_8));
                }
                return c.getResponseCode();
            }
            case "HttpClient":
                return HttpClient.newHttpClient().send(
                    HttpRequest.newBuilder(URI.create(url)).POST(HttpRequest.BodyPublishers.ofString(body)).build(),
                    HttpResponse.BodyHandlers.ofString()).statusCode();
            case "Apache4":
                try (CloseableHttpClient c = org.apache.http.impl.client.HttpClients.createDefault()) {
                    HttpPost p = new HttpPost(url);
                    p.setEntity(new StringEntity(body));
                    try (CloseableHttpResponse r = c.execute(p)) {
                        return r.getStatusLine().getStatusCode();
                    }
                }
            case "Apache5":
                try (org.apache.hc.client5.http.impl.classic.CloseableHttpClient c = HttpClients.createDefault()) {
                    org.apache.hc.client5.http.classic.methods.HttpPost p = new org.apache.hc.client5.http.classic.methods.HttpPost(url);
                    p.setEntity(new org.apache.hc.core5.http.io.entity.StringEntity(body));
                    return c.execute(p, r -> r.getCode());
                }
            case "OkHttp":
                try (okhttp3.Response r = new okhttp3.OkHttpClient().newCall(
                        new okhttp3.Request.Builder().url(url).post(okhttp3.RequestBody.create(body, null)).build()).execute()) {
                    return r.code();
                }
            case "Reactor Netty":
                return netty(reactor.netty.http.client.HttpClient.create(), url, body);
            case "Reactor Netty, JDK's resolver":
                return netty(reactor.netty.http.client.HttpClient.create().resolver(
                    io.netty.resolver.DefaultAddressResolverGroup.INSTANCE), url, body);
            case "REST-assured":
                return given().body(body).post(url).statusCode();
            default:
                throw new IllegalArgumentException(client);
        }
    }

    private static int netty(reactor.netty.http.client.HttpClient client, String url, String body) {
        return client.secure().post().uri(url).send(reactor.netty.ByteBufFlux.fromString(reactor.core.publisher.Mono.just(body)))
            .response().block().status().code();
    }
}
