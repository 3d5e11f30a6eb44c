package notifier

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of a question. A label is measured in characters, a comment in code points.
const (
	MinChoices    = 2
	MaxChoices    = 4
	MaxLabel      = 24
	MaxComment    = 500
	MaxEqual      = 10 // equal answers that decide
	MaxRowAnswers = MaxEqual
	MaxEverybody  = 10_000 // recipients, if everybody's answer is collected

	// MaxListedAnswers is the maximum number of answers to a question that a choice decides.
	MaxListedAnswers = MaxChoices*(MaxEqual-1) + 1
)

// StyleDanger is the style of a choice that destroys or refuses something.
const StyleDanger = "danger"

var choicePattern = regexp.MustCompile(`\A[a-z0-9_-]{1,32}\z`)

// normalise returns a question in the form in which it is stored: trimmed labels, and default styles and comments.
func (a *Ask) normalise() *Ask {
	to := *a
	to.Choices = slices.Clone(a.Choices)
	for i := range to.Choices {
		c := &to.Choices[i]
		c.Label = strings.Trim(strings.ReplaceAll(c.Label, "\t", " "), " ")
		if c.Style == "" {
			c.Style = StylePlain
		}
		if c.Comment == "" {
			c.Comment = CommentNone
		}
	}
	return &to
}

// checkAsk checks a question and sets when it ends. given is the time to answer; 0: none is given.
func (d *Draft) checkAsk(given time.Duration, l Limits, bad *InvalidError) {
	a := d.Extras.Ask
	if a == nil {
		return
	}
	if len(d.Target.Audiences) > 0 {
		bad.Add("to", CodeAskAudience, nil)
	}
	if d.Extras.More != nil {
		bad.Add("more", CodeAskMore, nil)
	}
	if n := len(a.Choices); n < MinChoices || n > MaxChoices {
		bad.Add("choices", CodeChoices, map[string]any{"Min": MinChoices, "Max": MaxChoices})
	}
	for i, c := range a.Choices[:min(len(a.Choices), MaxChoices)] {
		c.check("choices["+strconv.Itoa(i)+"]", a.Choices[:i], bad)
	}
	if a.Rule.Needs < 0 || a.Rule.Needs > MaxEqual {
		bad.Add("answers", CodeBadAnswers, map[string]any{"Max": MaxEqual})
	}
	if _, ok := a.Choice(a.Rule.Otherwise); a.Rule.Otherwise != "" {
		switch {
		case a.Rule.Needs == 0:
			bad.Add("otherwise", CodeOtherwiseAll, nil)
		case !ok:
			bad.Add("otherwise", CodeUnknownChoice, map[string]any{"Allowed": a.allowed()})
		}
	}
	d.limitAsk(given, l)
}

// limitAsk sets when the question ends, and has its row stay for the lifetime of its type after that. given is the time to
// answer; 0: that lifetime.
func (d *Draft) limitAsk(given time.Duration, l Limits) {
	life := l.Keep
	if l.Expiry != nil {
		if own := l.Expiry(d.Type); own > 0 {
			life = min(own, life)
		}
	}
	if given <= 0 {
		given = life
	}
	d.Extras.Ask.Rule.Within = min(given, l.Keep)
	d.ExpiresIn = min(given+life, l.Keep)
}

func (c *Choice) check(at string, before []Choice, bad *InvalidError) {
	switch {
	case !choicePattern.MatchString(string(c.ID)):
		bad.Add(at+".id", CodeBadChoiceID, nil)
	case slices.ContainsFunc(before, func(other Choice) bool { return other.ID == c.ID }):
		bad.Add(at+".id", CodeSameChoice, nil)
	}
	checkLine(at+".label", c.Label, MaxLabel, bad)
	if c.Style != StylePlain && c.Style != StylePrimary && c.Style != StyleDanger {
		bad.Add(at+".style", CodeBadChoice, map[string]any{"Allowed": StylePrimary + ", " + StylePlain + ", " + StyleDanger})
	}
	switch c.Comment {
	case CommentNone, CommentOptional, CommentRequired:
	default:
		bad.Add(at+".comment", CodeBadChoice, map[string]any{"Allowed": "none, optional, required"})
	}
}

// CheckPeople checks that a question can be decided by this number of recipients. The error is an *InvalidError.
func (d *Draft) CheckPeople(recipients int64) error {
	var bad InvalidError
	switch a := d.Extras.Ask; {
	case a == nil:
	case int64(max(a.Rule.Needs, 1)) > recipients:
		bad.Add("answers", CodeFewPeople, map[string]any{"Count": recipients})
	case a.Rule.Needs == 0 && recipients > MaxEverybody:
		bad.Add("answers", CodeManyPeople, map[string]any{"Max": MaxEverybody, "Count": recipients})
	}
	return bad.OrNil()
}

// Opened returns the question as its notice stores it, if it is asked at this time.
func (a *Ask) Opened(at time.Time) *Ask {
	to := *a
	to.State, to.Answers, to.Outcome = AskOpen, []AskAnswer{}, ""
	to.ExpiresAt = at.Add(a.Rule.Within).UTC().Truncate(time.Millisecond)
	return &to
}
