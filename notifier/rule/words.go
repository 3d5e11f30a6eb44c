package rule

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// faults is what is wrong with a row or a notice, for who writes the rules.
var faults = map[string]string{
	notifier.CodeRequired:        "is empty",
	notifier.CodeTooLong:         "is too long",
	notifier.CodeBadText:         "holds what no text may hold",
	notifier.CodeBadScope:        "may hold letters, digits, _, . and - only, 64 at most",
	notifier.CodeBadSubject:      "may hold printable ASCII characters only, and no spaces",
	notifier.CodeSubjectReserved: "may not hold :has_read: nor begin with notice_id:",
	notifier.CodeBadLink:         "is neither a path that begins with / nor an https address",
	notifier.CodeLinkHost:        "leads to a host that links may not name (--link-hosts)",
	notifier.CodeExpiresPast:     "is negative",
	notifier.CodeExpiresLate:     "is longer than notices are kept (--keep)",
	notifier.CodeBadTopic:        "is no topic",
	notifier.CodeBadName:         "is no name",
	notifier.CodeUnknownUsers:    "names users that do not exist",
	notifier.CodeUnknownUser:     "names a user who does not exist",
	notifier.CodeUnknownRole:     "names a role that does not exist",
}

// inWords is an error, in words also where it names faults of a notice.
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
