import sys

import requests

for url in sys.argv[2:]:
    requests.post(url, data=sys.argv[1]).raise_for_status()
