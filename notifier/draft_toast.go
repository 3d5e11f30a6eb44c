package notifier

import "time"

// DefaultToastLife is how long a toast without an inbox entry waits for its user by
// default. A shorter Limits.Toast takes precedence.
const DefaultToastLife = time.Hour

// ValidateToast is Validate for a toast without an inbox entry. The type is optional; if
// there is one, as with every toast to a topic, users who muted it get nothing. Such a
// toast has no subject, cannot go to audiences, and lives for at most l.Toast.
func (d *Draft) ValidateToast(l Limits) error {
	var bad InvalidError
	audiences := len(d.Target.Audiences) > 0
	d.normalise()
	if audiences {
		bad.Add("to", CodeToastAudience, nil)
	} else {
		d.Target.check(nil, &bad)
	}
	if d.Type != "" && !ValidType(d.Type) {
		bad.Add("type", CodeBadType, nil)
	}
	checkTitle(d.Title, &bad)
	checkText("body", d.Body, MaxBody, "\n", &bad)
	checkLink(d.Link, l.LinkHosts, &bad)
	if l.Toast <= 0 {
		l.Toast = DefaultToastLife
	}
	switch {
	case d.ExpiresIn < 0:
		bad.Add("expires_in", CodeExpiresPast, nil)
	case d.ExpiresIn > l.Toast:
		bad.Add("expires_in", CodeToastLate, map[string]any{"Max": l.Toast.String()})
	case d.ExpiresIn == 0:
		d.ExpiresIn = min(DefaultToastLife, l.Toast)
	}
	return bad.OrNil()
}
