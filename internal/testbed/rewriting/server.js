// json-server on a port of its own choice, with the database that it is given
// on its first line of input. It ends when its input does.
const readline = require("readline");
const jsonServer = require("json-server");

const input = readline.createInterface({ input: process.stdin });
input.once("line", (line) => {
  const app = jsonServer.create();
  app.use(jsonServer.defaults({ logger: false }));
  app.use(jsonServer.router(JSON.parse(line)));
  const server = app.listen(0, "127.0.0.1", () => console.log(server.address().port));
});
input.on("close", () => process.exit(0));
