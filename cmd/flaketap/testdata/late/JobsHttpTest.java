import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.Test;

class JobsHttpTest {
  private static final String BASE = System.getenv("FLAKETAP_URL");
  private final HttpClient client = HttpClient.newHttpClient();
  private final OkHttpClient ok = new OkHttpClient();

  static class Job {
    String id;
    String state;
    Integer total;
  }

  private String make(String of) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(BASE + "/jobs"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"of\":\"" + of + "\"}"))
            .build();
    HttpResponse<String> made = client.send(request, HttpResponse.BodyHandlers.ofString());
    assertEquals(202, made.statusCode());
    return JsonParser.parseString(made.body()).getAsJsonObject().get("id").getAsString();
  }

  private Job getJob(String id) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(BASE + "/jobs/" + id)).build();
    HttpResponse<String> got = client.send(request, HttpResponse.BodyHandlers.ofString());
    return new Gson().fromJson(got.body(), Job.class);
  }

  @Test
  void atOnce() throws IOException, InterruptedException {
    String id = make("tea");
    HttpResponse<String> got =
        client.send(
            HttpRequest.newBuilder(URI.create(BASE + "/jobs/" + id)).build(),
            HttpResponse.BodyHandlers.ofString());
    assertEquals(200, got.statusCode());
    JsonObject job = JsonParser.parseString(got.body()).getAsJsonObject();
    assertEquals("done", job.get("state").getAsString());
    assertEquals(42, job.get("total").getAsInt());
  }

  // The shop needs a moment.
  @Test
  void afterAWhile() throws Exception {
    String id = make("tea");

    Thread.sleep(200); // until it is done

    Job job = getJob(id);
    assertEquals("done", job.state);
    assertEquals(42, job.total);
  }

  @Test
  void mudFails() throws Exception {
    String id = make("mud");
    Thread.sleep(250);
    Request request = new Request.Builder().url(BASE + "/jobs/" + id).build();
    Response got = ok.newCall(request).execute();
    assertEquals(200, got.code());
    JsonObject job = JsonParser.parseString(got.body().string()).getAsJsonObject();
    assertEquals("failed", job.get("state").getAsString());
  }
}
