package notifier

import "time"

// DefaultToastLife is how long a toast without a row waits for its user when nothing is
// said, or as long as toasts wait here if that is shorter.
const DefaultToastLife = time.Hour

// ValidateToast is Validate of a message that pops up and leaves no row. It needs no
// type: what has one, such as what goes to a topic, reaches nobody who has muted it. It
// has no subject, goes to no audience and lives for l.Toast at most.
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
