const [body, ...urls] = process.argv.slice(2);
for (const url of urls) {
  const response = await fetch(url, { method: 'POST', body });
  if (response.status !== 200) throw new Error(`${url} answers ${response.status}`);
  await response.text();
}
