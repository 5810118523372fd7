// json-server with a way back to its start: POST /admin/reset.
//
//   node json-server-reset.cjs MODULES DATABASE PORT
const [modules, database, port] = process.argv.slice(2);
const jsonServer = require(modules + '/json-server');
const fs = require('fs');

const start = fs.readFileSync(database, 'utf8');
const app = jsonServer.create();
const router = jsonServer.router(JSON.parse(start));
app.use(jsonServer.defaults({ logger: false }));
app.post('/admin/reset', (request, response) => {
  router.db.setState(JSON.parse(start));
  response.end();
});
app.use(router);
app.listen(Number(port), '127.0.0.1');
