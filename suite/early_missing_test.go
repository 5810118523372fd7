package suite

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/waits/settle"
)

// missingOracle wants a job that is there: nothing but the status tells that, and that the answer on the way has no total.
func missingOracle() *settle.Oracle {
	o := lateOracle()
	o.Values, o.Needed, o.InVain, o.Early = nil, nil, nil, []int{404}
	o.Body = []settle.Value{{Place: "/body/total", Type: settle.Number}}
	return o
}

const missingJavaHead = `package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.Gson;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;

class JobTest {
  static final HttpClient CLIENT = HttpClient.newHttpClient();
  static final String BASE = "http://a:1";

  static class Job {
    String state;
    Integer total;
  }

  Job job(String id) throws Exception {
    HttpRequest asked = HttpRequest.newBuilder(URI.create(BASE + "/jobs/" + id)).build();
    HttpResponse<String> answer = CLIENT.send(asked, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IllegalStateException("status " + answer.statusCode());
    }
    return new Gson().fromJson(answer.body(), Job.class);
  }

  @Test
  void test() throws Exception {
    HttpRequest made = HttpRequest.newBuilder(URI.create(BASE + "/jobs")).header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString("{\"of\":\"tea\"}")).build();
    CLIENT.send(made, HttpResponse.BodyHandlers.ofString());
`

// A read by a function that raises an error while there is nothing to read, or that does not look, is sent again until
// the body has something that answers on the way have not. An error that tells another status than these had ends it.
func TestAwaitWhatIsMissing(t *testing.T) {
	const js = "const BASE = \"http://a:1\";\n\nconst jobOf = async (id) => {\n  const r = await fetch(`${BASE}/jobs/${id}`);\n  LOOK\n  return r.json();\n};\n\ntest(\"job\", async () => {\n" +
		"  await fetch(`${BASE}/jobs`, { method: \"POST\", body: JSON.stringify({ of: \"tea\" }) });\n"
	const two = "  expect([(await jobOf(7)).total, (await jobOf(8)).total]).toEqual([42, 42]);\n});\n"
	looks := func(text, does string) string { return strings.Replace(text, "LOOK", does, 1) }
	const throws = "if (!r.ok) throw new Error(`status ${r.status}`);"
	args := func(name string) string {
		return "(() => " + name + ", {\n    ready: (body) => body?.total != null,\n    early: [404],\n    seconds: 2.1,\n    every: 0.02,\n  });\n"
	}
	lines := func(call, job string) string {
		return "    job = poll_for(\n        lambda: " + call + ",\n        lambda " + job + " is not None,\n        early=[404],\n        seconds=2.1,\n        every=0.02,\n    )\n"
	}
	own := strings.Replace(lateHead, "    r.raise_for_status()\n    return r.json()", "    if r.status_code == 404:\n        raise LookupError(id)\n    return r.json()", 1)
	const asserts = "    assert job[\"total\"] == 42\n"
	for _, tt := range []struct{ name, text, want string }{
		{"raise_for_status", lateHead + "    job = job_of(7)\n" + asserts, lines("job_of(7)", "body: body[\"total\"]") + asserts},
		{"an error of its own", own + "    job = job_of(7)\n" + asserts, lines("job_of(7)", "body: body[\"total\"]") + asserts},
		{"no error", lateHead + "    job = shop.job(7)\n" + asserts, lines("shop.job(7)", "body: body[\"total\"]") + asserts},
		{"where the name is taken", strings.Replace(lateHead, "BASE =", "poll_for = 1\nBASE =", 1) + "    job = job_of(7)\n" + asserts,
			strings.Replace(lines("job_of(7)", "body: body[\"total\"]"), "poll_for", "poll_for_body", 1) + asserts},
		{"an exception in Java", missingJavaHead + "    Job job = job(\"7\");\n    assertEquals(42, job.total);\n  }\n}\n",
			"    Job job = pollFor(() -> job(\"7\"), answer_ -> answer_.total != null, answer_ -> false, 2100, 20);\n"},
		{"an error in JavaScript", looks(js, throws) + "  const job = await jobOf(7);\n  expect(job.total).toBe(42);\n});\n",
			"  const job = await pollFor" + args("jobOf(7)") + "  expect(job.total).toBe(42);\n"},
		{"two of one expression", looks(js, throws) + two, "  const answer2 = await pollFor" + args("jobOf(7)") +
			"  // flaketap: the API was ready 204ms after the write, 410ms at most, in 9 reads\n  const answer3 = await pollFor" + args("jobOf(8)") +
			"  expect([answer2.total, answer3.total]).toEqual([42, 42]);\n"},
		{"of which the other is not sent", looks(js, throws) + strings.Replace(two, "(8)", "(9)", 1),
			"  const answer2 = await pollFor" + args("jobOf(7)") + "  expect([answer2.total, (await jobOf(9)).total]).toEqual([42, 42]);\n"},
		{"of which one is held against the other", looks(js, throws) + "  expect(await jobOf(7)).toEqual(await jobOf(8));\n});\n",
			"  const answer2 = await pollFor" + args("jobOf(7)") +
				"  // flaketap: the API was ready 204ms after the write, 410ms at most, in 9 reads\n  const answer3 = await pollFor" + args("jobOf(8)") +
				"  expect(answer2).toEqual(answer3);\n"},
		{"of Promise.all", looks(js, throws) + "  const [one, other] = await Promise.all([jobOf(7), jobOf(8)]);\n  expect([one.total, other.total]).toEqual([42, 42]);\n});\n",
			"  const answer2 = await pollFor" + args("jobOf(7)") +
				"  // flaketap: the API was ready 204ms after the write, 410ms at most, in 9 reads\n  const answer3 = await pollFor" + args("jobOf(8)") +
				"  const [one, other] = await Promise.all([answer2, answer3]);\n  expect([one.total, other.total]).toEqual([42, 42]);\n"},
		{"of Promise.allSettled", looks(js, throws) + "  const [one, other] = await Promise.allSettled([jobOf(7), jobOf(8)]);\n  expect(one.value.total).toBe(42);\n});\n",
			"  const [one, other] = await Promise.allSettled([jobOf(7), jobOf(8)]);\n"},
		{"where the suite has the name", "let pollFor;\n" + looks(js, "pollFor = 1;") + "  const job = await jobOf(7);\n  expect(job.total).toBe(42);\n});\n",
			"  const job = await pollForBody" + args("jobOf(7)")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			patch := func(text string, answers ...*exchange.Response) string {
				src := lateSource("/jobs/7", answers...)
				other := stepOf(3, "/jobs/8", answers)
				if strings.Contains(tt.text, "jobOf(8)") {
					src.Steps, src.Operations[3] = append(src.Steps, other), src.Operations[2]
				}
				trial := lateTrial(src, lateMissing, lateDone)
				for _, r := range []*exchange.Response{lateMissing, lateDone} {
					trial[3] = append(trial[3], &exchange.Observation{Seq: 3, Sent: other.Exchange.Request, Response: r})
				}
				h := Bind(lateScript(t, text), src, nil)
				h.Await(map[uint64]*settle.Oracle{2: missingOracle(), 3: missingOracle()}, []Trial{trial})
				return string(h.Patch(PatchOptions{}).Data)
			}
			got := patch(tt.text, lateMissing, lateDone, lateMissing)
			if !strings.Contains(got, tt.want) {
				t.Fatalf("becomes\n%s\nwant\n%s", got, tt.want)
			}
			if again := patch(got, lateDone, lateDone, lateDone); again != got {
				t.Errorf("patched twice\n%s", again)
			}
		})
	}
}
