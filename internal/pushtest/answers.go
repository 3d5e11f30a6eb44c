package pushtest

// Means says what an answer is about, as the service's own documents have it.
type Means string

// What answers mean.
const (
	Taken      Means = "taken"
	Ended      Means = "the subscription has ended"
	NotOurs    Means = "the key or token is not right for this subscription"
	NotNow     Means = "not now"
	BadMessage Means = "this message is not taken"
)

// RealAnswer is what a real service answers, what its reason says in one line, and the public page that says so.
type RealAnswer struct {
	Service string
	Answer  Answer
	Reason  string
	Means   Means
	Source  string
}

const (
	google    = "https://github.com/web-push-libs/webpush-java/issues/212"
	googleOld = "https://github.com/bartbutenaers/node-red-contrib-ui-web-push/issues/7"
	mozilla   = "https://mozilla-services.github.io/autopush-rs/errors.html"
	apple     = "https://developer.apple.com/documentation/usernotifications/sending-web-push-notifications-in-web-apps-and-browsers"
	microsoft = "https://learn.microsoft.com/windows/apps/design/shell/tiles-and-notifications/push-request-response-headers"
	reason109 = `{"code":401,"errno":109,"error":"Unauthorized","message":"VAPID public key mismatch","more_info":"http://autopush.readthedocs.io/en/latest/http.html#error-codes"}`
	senderID  = "the key in the authorization header does not correspond to the sender ID used to subscribe this user. " +
		"Please ensure you are using the correct sender ID and server Key from the Firebase console."
	credentials = "the VAPID credentials in the authorization header do not correspond to the credentials used to create the subscriptions." //nolint:gosec // the answer has no key in it
)

// Answers returns what real services answer.
func Answers() []RealAnswer {
	return []RealAnswer{
		{"RFC 8030", Answer{Status: 201}, "", Taken, "https://www.rfc-editor.org/rfc/rfc8030#section-5"},
		{"Microsoft", Answer{Status: 200}, "", Taken, microsoft},
		{"Google", Answer{Status: 403, Body: credentials + "\n"}, credentials, NotOurs, google},
		{"Google", Answer{Status: 403, Body: senderID + "\n"}, senderID, NotOurs, googleOld},
		{"Google", Answer{Status: 403, Body: "invalid JWT provided\n"}, "invalid JWT provided", NotOurs, "https://github.com/web-push-libs/web-push/issues/679"},
		{"Google", Answer{Status: 400, Body: "UnauthorizedRegistration"}, "UnauthorizedRegistration", NotOurs, "https://pushpad.xyz/blog/web-push-errors-explained-with-http-status-codes/"},
		{"Google", Answer{Status: 410, Body: "push subscription has unsubscribed or expired.\n"}, "push subscription has unsubscribed or expired.", Ended, "https://pushpad.xyz/blog/web-push-errors-explained-with-http-status-codes/"},
		{"Mozilla", Answer{Status: 401, Body: reason109}, "VAPID public key mismatch (errno 109)", NotOurs, "https://github.com/Minishlink/web-push-php-example/issues/38"},
		{"Mozilla", Answer{Status: 410, Body: `{"code":410,"errno":106,"error":"Gone","message":"Subscription is no longer valid"}`}, "Subscription is no longer valid (errno 106)", Ended, mozilla},
		{"Mozilla", Answer{Status: 404, Body: `{"code":404,"errno":102,"error":"Not Found","message":"Invalid endpoint"}`}, "Invalid endpoint (errno 102)", Ended, mozilla},
		{"Mozilla", Answer{Status: 413, Body: `{"code":413,"errno":104,"error":"Payload Too Large"}`}, "Payload Too Large (errno 104)", BadMessage, mozilla},
		{"Mozilla", Answer{Status: 400, Body: `{"code":400,"errno":110,"error":"Bad Request","message":"Invalid crypto keys specified"}`}, "Invalid crypto keys specified (errno 110)", BadMessage, mozilla},
		{"Mozilla", Answer{Status: 503, Body: `{"code":503,"errno":201,"error":"Service Unavailable","message":"Use exponential back-off for retries"}`}, "Use exponential back-off for retries (errno 201)", NotNow, mozilla},
		{"Apple", Answer{Status: 403, Body: `{"reason":"BadJwtToken"}`}, "BadJwtToken", NotOurs, "https://github.com/web-push-libs/web-push/issues/947"},
		{"Apple", Answer{Status: 400, Body: `{"reason":"VapidPkHashMismatch"}`}, "VapidPkHashMismatch", NotOurs, apple},
		{"Apple", Answer{Status: 400, Body: `{"reason":"BadWebPushTopic"}`}, "BadWebPushTopic", BadMessage, apple},
		{"Apple", Answer{Status: 410, Body: `{"reason":"Unregistered"}`}, "Unregistered", Ended, apple},
		{"Apple", Answer{Status: 413, Body: `{"reason":"PayloadTooLarge"}`}, "PayloadTooLarge", BadMessage, apple},
		{"Apple", Answer{Status: 429, Body: `{"reason":"TooManyProviderTokenUpdates"}`}, "TooManyProviderTokenUpdates", NotNow, apple},
		{"Microsoft", Answer{Status: 401}, "", NotOurs, microsoft},
		{"Microsoft", Answer{Status: 403}, "", NotOurs, microsoft},
		{"Microsoft", Answer{Status: 404}, "", Ended, microsoft},
		{"Microsoft", Answer{Status: 406}, "", NotNow, microsoft},
		{"Microsoft", Answer{Status: 410}, "", Ended, microsoft},
		{"Microsoft", Answer{Status: 413}, "", BadMessage, microsoft},
	}
}
