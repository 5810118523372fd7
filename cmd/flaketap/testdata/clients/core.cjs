// The modules http and https themselves: with the agent that is there, one of its own, and none.
const http = require('http');
const https = require('https');

const post = (url, body, agent) => new Promise((done, failed) => {
  const module = url.startsWith('https') ? https : http;
  module.request(url, { method: 'POST', agent }, (response) => {
    response.resume().on('end', () => (response.statusCode === 200 ? done() : failed(new Error(url))));
  }).on('error', failed).end(body);
});

(async () => {
  const [body, ...urls] = process.argv.slice(2);
  const kinds = [() => undefined, () => false, (url) => new (url.startsWith('https') ? https : http).Agent({ timeout: 10000 }), () => undefined];
  for (const [i, url] of urls.entries()) await post(url, body, kinds[i % kinds.length](url));
})();
