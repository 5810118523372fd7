// Jest's environment for Node, in which the tests run with BACKWARDS the other way round.
const { TestEnvironment } = require("jest-environment-node");

function turn(block) {
  block.children.reverse();
  block.children.filter((x) => x.type === "describeBlock").forEach(turn);
}

module.exports = class extends TestEnvironment {
  handleTestEvent(event, state) {
    if (event.name === "run_start" && process.env.BACKWARDS) {
      turn(state.rootDescribeBlock);
    }
  }
};
