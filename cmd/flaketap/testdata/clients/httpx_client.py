import sys

import httpx

for url in sys.argv[2:]:
    httpx.post(url, content=sys.argv[1]).raise_for_status()
