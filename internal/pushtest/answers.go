package pushtest

import "fmt"

// Means is the meaning of a response according to the service's own documents.
type Means string

// Meanings of responses.
const (
	Taken      Means = "taken"
	Ended      Means = "the subscription has ended"
	NotOurs    Means = "the key or token is not right for this subscription"
	NotNow     Means = "not now"
	BadMessage Means = "this message is not taken"
)

// RealAnswer is a response of a real service, its reason in one line, and the public page that documents it.
type RealAnswer struct {
	Service string
	Answer  Answer
	Reason  string
	Means   Means
	Source  string
}

const (
	autopush  = "https://github.com/mozilla-services/autopush-rs/blob/4ebe2624/autoendpoint/src/"
	apns      = "https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns"
	microsoft = "https://learn.microsoft.com/windows/apps/design/shell/tiles-and-notifications/push-request-response-headers#response-codes"
	senderID  = "the key in the authorization header does not correspond to the sender ID used to subscribe this user. " +
		"Please ensure you are using the correct sender ID and server Key from the Firebase console."
	credentials = "the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions." //nolint:gosec // the response contains no key
	tooLong     = "This message is intended for a constrained device and is limited in size. Converted buffer is too long by 12 bytes"
)

// mozilla returns a response of autopush.
func mozilla(status int, errno, name, message string) Answer {
	return Answer{Status: status, Body: fmt.Sprintf(`{"code":%d,"errno":%s,"error":%q,"message":%q,"more_info":"http://autopush.readthedocs.io/en/latest/http.html#error-codes"}`, status, errno, name, message)}
}

// page returns a response of Google's older front end, which gives its reason in HTML.
func page(status int, reason string) Answer {
	return Answer{Status: status, Body: fmt.Sprintf("<HTML>\n<HEAD>\n<TITLE>%s</TITLE>\n</HEAD>\n<BODY BGCOLOR=\"#FFFFFF\" TEXT=\"#000000\">\n<H1>%s</H1>\n<H2>Error %d</H2>\n</BODY>\n</HTML>\n", reason, reason, status)}
}

// windows returns a response of Microsoft, which gives its reason in a header.
func windows(status int, reason string) Answer {
	return Answer{Status: status, Header: map[string]string{"X-WNS-Error-Description": reason}}
}

// Answers returns responses of real services.
func Answers() []RealAnswer {
	busy := mozilla(503, "null", "Service Unavailable", "Conditional database operation failed: update_user")
	busy.RetryAfter = "120"
	return []RealAnswer{
		{"RFC 8030", Answer{Status: 201}, "", Taken, "https://www.rfc-editor.org/rfc/rfc8030#section-5"},
		{"RFC 8030", Answer{Status: 429, RetryAfter: "60"}, "", NotNow, "https://www.rfc-editor.org/rfc/rfc8030#section-8.4"},
		{"Google", Answer{Status: 403, Body: credentials + "\n"}, credentials, NotOurs, "https://github.com/web-push-libs/web-push/issues/941"},
		{"Google", Answer{Status: 403, Body: senderID + "\n"}, senderID, NotOurs, "https://github.com/bartbutenaers/node-red-contrib-ui-web-push/issues/7"},
		{"Google", Answer{Status: 403, Body: "invalid JWT provided\n"}, "invalid JWT provided", NotOurs, "https://github.com/web-push-libs/web-push/issues/679"},
		{"Google", page(400, "UnauthorizedRegistration"), "UnauthorizedRegistration", NotOurs, "https://github.com/web-push-libs/web-push/issues/237"},
		{"Google", Answer{Status: 410, Body: "push subscription has unsubscribed or expired.\n"}, "push subscription has unsubscribed or expired.", Ended, "https://github.com/Tech4covid19/trackovid19-backend/issues/141"},
		{"Google", page(410, "NotRegistered"), "NotRegistered", Ended, "https://github.com/zaru/webpush/issues/69"},
		{"Mozilla", mozilla(401, "109", "Unauthorized", "VAPID public key mismatch"), "VAPID public key mismatch (errno 109)", NotOurs, "https://github.com/felixvonsamson/Energetica/issues/701"},
		{"Mozilla", mozilla(410, "106", "Gone", "No such subscription"), "No such subscription (errno 106)", Ended, autopush + "error.rs"},
		{"Mozilla", mozilla(410, "103", "Gone", "UAID not found"), "UAID not found (errno 103)", Ended, autopush + "error.rs"},
		{"Mozilla", mozilla(404, "102", "Not Found", "Invalid token"), "Invalid token (errno 102)", Ended, autopush + "error.rs"},
		{"Mozilla", mozilla(413, "104", "Payload Too Large", tooLong), tooLong + " (errno 104)", BadMessage, autopush + "routers/mod.rs"},
		{"Mozilla", mozilla(400, "110", "Bad Request", "Unknown Content-Encoding header"), "Unknown Content-Encoding header (errno 110)", BadMessage, autopush + "extractors/notification_headers.rs"},
		{"Mozilla", busy, "Conditional database operation failed: update_user", NotNow, autopush + "error.rs"},
		{"Mozilla", mozilla(502, "903", "Bad Gateway", "Bridge request timeout"), "Bridge request timeout (errno 903)", NotNow, autopush + "routers/mod.rs"},
		{"Apple", Answer{Status: 403, Body: `{"reason":"BadJwtToken"}`}, "BadJwtToken", NotOurs, "https://github.com/web-push-libs/web-push/issues/947"},
		{"Apple", Answer{Status: 400, Body: `{"reason":"VapidPkHashMismatch"}`}, "VapidPkHashMismatch", NotOurs, "https://github.com/vjt/grappa-irc/issues/1323"},
		{"Apple", Answer{Status: 400, Body: `{"reason":"BadWebPushTopic"}`}, "BadWebPushTopic", BadMessage, "https://github.com/AltanS/collie/pull/90"},
		{"Apple", Answer{Status: 410, Body: `{"reason":"Unregistered"}`}, "Unregistered", Ended, apns},
		{"Apple", Answer{Status: 413, Body: `{"reason":"PayloadTooLarge"}`}, "PayloadTooLarge", BadMessage, apns},
		{"Apple", Answer{Status: 429, Body: `{"reason":"TooManyRequests"}`}, "TooManyRequests", NotNow, apns},
		{"Microsoft", Answer{Status: 200}, "", Taken, microsoft},
		{"Microsoft", windows(400, "Ttl value conflicts with X-WNS-Cache-Policy."), "Ttl value conflicts with X-WNS-Cache-Policy.", BadMessage, "https://github.com/web-push-libs/pywebpush/issues/162"},
		{"Microsoft", Answer{Status: 401}, "", NotOurs, "https://github.com/web-push-libs/web-push/issues/691"},
		{"Microsoft", Answer{Status: 403}, "", NotOurs, microsoft},
		{"Microsoft", Answer{Status: 404}, "", Ended, microsoft},
		{"Microsoft", Answer{Status: 406, Header: map[string]string{"X-WNS-Status": "appthrottled"}}, "", NotNow, "https://github.com/SherClockHolmes/webpush-go/issues/48"},
		{"Microsoft", windows(410, "Revoked channel URL"), "Revoked channel URL", Ended, "https://github.com/microsoft/WindowsAppSDK/issues/4446"},
		{"Microsoft", Answer{Status: 413}, "", BadMessage, microsoft},
		{"Microsoft", Answer{Status: 429}, "", NotNow, "https://github.com/microsoft/WindowsAppSDK/issues/3501"},
		{"Microsoft", Answer{Status: 500}, "", NotNow, "https://github.com/microsoft/WindowsAppSDK/issues/4546"},
	}
}
