package notifier

import (
	"encoding/json"
	"unicode/utf8"
)

// MaxToastBody is the most characters of a body that a toast has: more than a toast shows.
const MaxToastBody = 300

// ToastContent returns content, which is JSON from EncodeContent, with the body shortened to
// MaxToastBody: each user's toast is stored separately. Content that cannot be decoded is
// returned unchanged.
func ToastContent(content []byte) []byte {
	if len(content) <= MaxToastBody {
		return content
	}
	var c Content
	if err := json.Unmarshal(content, &c); err != nil || utf8.RuneCountInString(c.Body) <= MaxToastBody {
		return content
	}
	c.Body = string([]rune(c.Body)[:MaxToastBody-1]) + "…"
	clipped, err := EncodeContent(c)
	if err != nil {
		return content
	}
	return clipped
}
