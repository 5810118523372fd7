// Jest runs the files of tests in the order in which they were recorded.

const path = require("node:path");
const Sequencer = require("@jest/test-sequencer").default;
const { files } = require("../recorded.json");

module.exports = class extends Sequencer {
  sort(tests) {
    const at = (test) => files.indexOf(path.basename(test.path));
    return [...tests].sort((a, b) => at(a) - at(b));
  }
};
