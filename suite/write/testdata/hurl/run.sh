#!/bin/sh
# Runs the files with Hurl 8, in order. FLAKETAP_URL is the API, or else the recorded one; FLAKETAP_RESET, a URL to
# POST to or a shell command, resets it first; FLAKETAP_SECRETS names another secrets.env. What is not one of these goes
# to hurl: ./run.sh --report-html report
set -e
cd "$(dirname "$0")"
url=${FLAKETAP_URL:-http://127.0.0.1:8080}
url=${url%/}

# The credentials that the client had before the recording, see README.md. Within a query one is written as it is given.
umask 077
secrets=$(mktemp)
trap 'status=$?; rm -f "$secrets" "$secrets.new"; [ $status = 0 ] ||
	echo "if answers are 401 or 403, a credential may have expired: README.md says how to give another" >&2' EXIT
[ ! -f "${FLAKETAP_SECRETS:-secrets.env}" ] || cat "${FLAKETAP_SECRETS:-secrets.env}" >"$secrets"
give() { # the variable of Hurl, that of the environment, its value
	if [ -n "$3" ]; then
		grep -v "^$1=" "$secrets" >"$secrets.new" || :
		printf '%s=%s\n' "$1" "$3" >>"$secrets.new"
		mv "$secrets.new" "$secrets"
	elif ! grep -q "^$1=" "$secrets"; then
		echo "secrets.env has no value for $2; set the environment variable $2, see README.md" >&2
		exit 1
	fi
}
give FLAKETAP_HEADER_X_API_KEY FLAKETAP_HEADER_X_API_KEY "$FLAKETAP_HEADER_X_API_KEY"

case "$FLAKETAP_RESET" in
"") ;;
http://* | https://*) printf 'POST %s\nContent-Length: 0\n' "$FLAKETAP_RESET" | hurl --no-output ;;
*) sh -c "$FLAKETAP_RESET" ;;
esac
hurl --test --jobs 1 --continue-on-error --no-cookie-store --path-as-is \
	--max-time "${FLAKETAP_TIMEOUT:-30}" ${FLAKETAP_INSECURE:+--insecure} --variables-file variables.env --secrets-file "$secrets" \
	--variable "url=$url" --variable "host=\"${url#*://}\"" "$@" \
	orders.hurl report.hurl files.hurl
