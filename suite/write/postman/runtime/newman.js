// Runs the collection with Newman: FLAKETAP_URL is the API, or else the recorded one; FLAKETAP_RESET, a URL to
// POST to or a shell command, resets it first; FLAKETAP_SECRETS names another environment.json.

const { execSync } = require("node:child_process");
const path = require("node:path");
const newman = require("newman");

const { FLAKETAP_URL, FLAKETAP_RESET, FLAKETAP_SECRETS, FLAKETAP_INSECURE } =
  process.env;
const here = (name) => path.join(__dirname, name);

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
  const options = {
    collection: here("collection.json"),
    environment: FLAKETAP_SECRETS || here("environment.json"),
    envVar: FLAKETAP_URL
      ? [{ key: "baseUrl", value: FLAKETAP_URL.replace(/\/+$/, "") }]
      : [],
    workingDir: __dirname,
    insecure: Boolean(FLAKETAP_INSECURE),
    reporters: ["cli"],
    reporter: { cli: { noSuccessAssertions: true } },
  };
  newman.run(options, (error, summary) => {
    if (error) {
      console.error(error.message);
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
