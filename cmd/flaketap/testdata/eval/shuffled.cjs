// A sequencer of Jest that runs the files of tests in a random order, and says which: SHUFFLED=SEED brings it back.
const Sequencer = require(require.resolve("@jest/test-sequencer", { paths: [process.cwd()] })).default;
const { createHash } = require("node:crypto");

const seed = process.env.SHUFFLED ?? String(Math.floor(Math.random() * 2 ** 32));
const key = (test) => createHash("sha1").update(`${seed} ${test.path}`).digest("hex");

module.exports = class extends Sequencer {
  sort(tests) {
    console.error(`shuffled by seed ${seed}`);
    return [...tests].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  }
};
