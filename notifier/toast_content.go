package notifier

import (
	"encoding/json"
	"unicode/utf8"
)

// MaxToastBody is how many characters of a body pop up: more than can be seen of it.
const MaxToastBody = 300

// ToastContent is content, JSON as EncodeContent makes it, with so much of the body as
// pops up: each user's toast is kept by itself. What cannot be read stays as it is.
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
