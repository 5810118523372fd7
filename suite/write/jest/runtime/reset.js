// Jest runs this before the first test: where FLAKETAP_RESET is set, the API is reset.

const { reset } = require("./flaketap");

module.exports = async () => {
  if (process.env.FLAKETAP_RESET) {
    await reset(process.env.FLAKETAP_RESET);
  }
};
