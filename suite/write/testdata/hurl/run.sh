#!/bin/sh
# Runs the files with Hurl 8, in order. FLAKETAP_URL is the API, or else the recorded one; FLAKETAP_RESET, a URL to
# POST to or a shell command, resets it first; FLAKETAP_SECRETS names another secrets.env. What is not one of these goes
# to hurl: ./run.sh --report-html report
set -e
cd "$(dirname "$0")"
url=${FLAKETAP_URL:-http://127.0.0.1:8080}
url=${url%/}
case "$FLAKETAP_RESET" in
"") ;;
http://* | https://*) printf 'POST %s\nContent-Length: 0\n' "$FLAKETAP_RESET" | hurl --no-output ;;
*) sh -c "$FLAKETAP_RESET" ;;
esac
exec hurl --test --jobs 1 --continue-on-error --no-cookie-store --path-as-is \
	--variables-file variables.env --secrets-file "${FLAKETAP_SECRETS:-secrets.env}" \
	--variable "url=$url" --variable "host=\"${url#*://}\"" "$@" \
	orders.hurl report.hurl files.hurl
