package script

import "strings"

// StatusNamed is the code of the status that libraries call by a name, in decimal digits: NotFound, NOT_FOUND and
// not_found are "404". Names are those of RFC 9110 section 15 and of the statuses registered since, and the shorter
// ones of libraries. The case of letters and what is no letter do not count. False where the name is none of these.
func StatusNamed(name string) (code string, ok bool) {
	letters := func(r rune) rune {
		if r < 'a' || r > 'z' {
			return -1
		}
		return r
	}
	code, ok = statuses()[strings.Map(letters, strings.ToLower(name))]
	return code, ok
}

// statuses are the codes by their names.
func statuses() map[string]string {
	words := strings.Fields(`continue 100 switchingprotocols 101 processing 102 earlyhints 103 ok 200 created 201
accepted 202 nonauthoritativeinfo 203 nonauthoritativeinformation 203 notauthoritative 203 nocontent 204
resetcontent 205 reset 205 partialcontent 206 partial 206 multistatus 207 alreadyreported 208 imused 226
multiplechoices 300 multchoice 300 movedpermanently 301 movedperm 301 found 302 movedtemporarily 302 movedtemp 302
seeother 303 notmodified 304 useproxy 305 temporaryredirect 307 permanentredirect 308 badrequest 400 unauthorized 401
paymentrequired 402 forbidden 403 notfound 404 methodnotallowed 405 badmethod 405 notacceptable 406
proxyauthrequired 407 proxyauthenticationrequired 407 requesttimeout 408 clienttimeout 408 conflict 409 gone 410
lengthrequired 411 preconditionfailed 412 preconfailed 412 requestentitytoolarge 413 payloadtoolarge 413
contenttoolarge 413 entitytoolarge 413 requesturitoolong 414 uritoolong 414 reqtoolong 414 unsupportedmediatype 415
unsupportedtype 415 requestedrangenotsatisfiable 416 rangenotsatisfiable 416 expectationfailed 417 teapot 418
imateapot 418 iamateapot 418 misdirectedrequest 421 unprocessableentity 422 unprocessablecontent 422
unprocessable 422 locked 423 faileddependency 424 tooearly 425 upgraderequired 426 preconditionrequired 428
toomanyrequests 429 requestheaderfieldstoolarge 431 unavailableforlegalreasons 451 internalservererror 500
internalerror 500 servererror 500 notimplemented 501 badgateway 502 serviceunavailable 503 unavailable 503
gatewaytimeout 504 httpversionnotsupported 505 variantalsonegotiates 506 insufficientstorage 507 loopdetected 508
notextended 510 networkauthenticationrequired 511`)
	out := make(map[string]string, len(words)/2)
	for i := 0; i+1 < len(words); i += 2 {
		out[words[i]] = words[i+1]
	}
	return out
}
