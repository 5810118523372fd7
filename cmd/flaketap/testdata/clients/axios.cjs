const axios = require('axios');

(async () => {
  const [body, ...urls] = process.argv.slice(2);
  for (const url of urls) await axios.post(url, body);
})();
