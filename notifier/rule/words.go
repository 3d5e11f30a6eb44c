package rule

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// faults are the faults of a row or a notice in words, for the authors of rules.
var faults = map[string]string{
	notifier.CodeRequired:        "is empty",
	notifier.CodeTooLong:         "is too long",
	notifier.CodeBadText:         "contains an unsupported character",
	notifier.CodeBadScope:        "must be at most 64 letters, digits, _, . and -",
	notifier.CodeBadSubject:      "must be printable ASCII characters without spaces",
	notifier.CodeSubjectReserved: "must not contain :has_read: or begin with notice_id:",
	notifier.CodeBadLink:         "must be a path that begins with / or an https address",
	notifier.CodeLinkHost:        "points to a host that is not allowed (--link-hosts)",
	notifier.CodeExpiresPast:     "is negative",
	notifier.CodeExpiresLate:     "is longer than the time notices are kept (--keep)",
	notifier.CodeBadTopic:        "is not a valid topic",
	notifier.CodeBadName:         "is not a valid name",
	notifier.CodeUnknownUsers:    "names users that do not exist",
	notifier.CodeUnknownUser:     "names a user who does not exist",
	notifier.CodeUnknownRole:     "names a role that does not exist",
}

// inWords returns an error's text, with the faults of a notice in words.
func inWords(err error) string {
	bad := (*notifier.InvalidError)(nil)
	if !errors.As(err, &bad) {
		return err.Error()
	}
	texts := make([]string, len(bad.Fields))
	for i, f := range bad.Fields {
		said, ok := faults[f.Code]
		if !ok {
			said = f.Code
		}
		texts[i] = f.Field + " " + said
		for _, name := range slices.Sorted(maps.Keys(f.Params)) {
			texts[i] += fmt.Sprintf(", %s: %v", strings.ToLower(name), f.Params[name])
		}
	}
	return strings.Join(texts, "; ")
}
