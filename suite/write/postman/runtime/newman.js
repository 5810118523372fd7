// Runs the collection with Newman: FLAKETAP_URL is the API, or else the recorded one; FLAKETAP_RESET, a URL to
// POST to or a shell command, resets it first; FLAKETAP_SECRETS names another environment.json. The credentials that
// the client had before the recording are variables of the environment too, see README.md.

const { execSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const newman = require("newman");

const { FLAKETAP_URL, FLAKETAP_RESET, FLAKETAP_SECRETS } = process.env;
const { FLAKETAP_TIMEOUT, FLAKETAP_INSECURE } = process.env;
const here = (name) => path.join(__dirname, name);

const collection = here("collection.json");
const environment = FLAKETAP_SECRETS || here("environment.json");

/** The credentials that the collection sends, by environment variable: given there, or in environment.json. */
function credentials() {
  const text = fs.readFileSync(collection, "utf8");
  const names = text.match(/FLAKETAP_(HEADER|COOKIE|QUERY)_[A-Z0-9_]+/g) || [];
  const stored = fs.existsSync(environment)
    ? JSON.parse(fs.readFileSync(environment, "utf8")).values
    : [];
  return [...new Set(names)].sort().map((key) => {
    const value =
      process.env[key] || stored.find((v) => v.key === key)?.value || "";
    if (!value) {
      throw new Error(
        `${environment} has no value for ${key}; set the environment variable ${key}, see README.md`,
      );
    }
    return { key, value };
  });
}

/** Says which credentials a run sent that the API refused. */
function noteRefusals(run, given) {
  const refused = run.executions.filter((e) => e.response?.code === 401);
  for (const { key, value } of given) {
    const sent = (e) =>
      e.request.headers.members.some((h) => h.value?.includes(value)) ||
      e.request.url.toString().includes(encodeURIComponent(value));
    if (run.failures.length > 0 && refused.some(sent)) {
      console.error(
        `the API refused the credential ${key} with 401: if it has expired, set another, see README.md`,
      );
    }
  }
}

async function reset(how) {
  if (/^https?:\/\//.test(how)) {
    const answer = await fetch(how, { method: "POST", redirect: "manual" });
    if (!answer.ok) {
      throw new Error(`reset: ${how} answered ${answer.status}`);
    }
    return;
  }
  execSync(how, { stdio: "inherit", timeout: 60000 });
}

async function main() {
  if (FLAKETAP_RESET) {
    await reset(FLAKETAP_RESET);
  }
  const given = credentials();
  const base = FLAKETAP_URL
    ? [{ key: "baseUrl", value: FLAKETAP_URL.replace(/\/+$/, "") }]
    : [];
  const options = {
    collection,
    environment: fs.existsSync(environment) ? environment : undefined,
    envVar: [...base, ...given],
    workingDir: __dirname,
    timeoutRequest: 1000 * Number(FLAKETAP_TIMEOUT || 30),
    insecure: Boolean(FLAKETAP_INSECURE),
    reporters: ["cli"],
    reporter: { cli: { noSuccessAssertions: true } },
  };
  newman.run(options, (error, summary) => {
    if (error) {
      console.error(error.message);
    } else {
      noteRefusals(summary.run, given);
    }
    end(error || summary.run.failures.length > 0 ? 1 : 0);
  });
}

/** Ends the process when all is written: open connections and files would keep it alive. */
function end(status) {
  process.stdout.write("", () =>
    process.stderr.write("", () => process.exit(status)),
  );
}

main().catch((error) => {
  console.error(error.message);
  end(1);
});
