// An API that asks three services at once: two of http, at ports of their own, and one of https.
const http = require('node:http');

const ask = async (url) => (await fetch(url)).json();

http.createServer(async (request, response) => {
  const answer = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  if (request.url === '/health') {
    answer(200, {});
    return;
  }
  try {
    const [weather, rates, hotels] = await Promise.all([
      ask('http://weather.example.com:8080/today?city=Bern'), ask('https://rates.example.com/latest'), ask('http://203.0.113.7:8081/hotels')]);
    answer(200, { degrees: weather.temp, price: rates.usd * 100, hotel: hotels[0].name, fixed: 1 });
  } catch (e) {
    answer(502, { error: String(e) });
  }
}).listen(process.env.PORT, '127.0.0.1');
