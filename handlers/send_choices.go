package handlers

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

const maxChoiceID = 32

var noChoiceID = regexp.MustCompile(`[^a-z0-9_-]+`)

// readChoices returns the question of a form, whose choices are lines, or nil if there are none. The first answer decides, and
// may have a comment. Excess lines are reduced to one, which is a fault.
func readChoices(lines string) *notifier.Ask {
	ask := &notifier.Ask{Rule: notifier.AskRule{Needs: 1}}
	ids := map[notifier.ChoiceID]string{}
	for line := range strings.Lines(lines) {
		label := strings.TrimSpace(line)
		if label == "" {
			continue
		}
		id := choiceID(label, len(ask.Choices)+1, ids)
		ids[id] = label
		ask.Choices = append(ask.Choices, notifier.Choice{ID: id, Label: label, Comment: notifier.CommentOptional})
		if len(ask.Choices) > notifier.MaxChoices {
			break
		}
	}
	if len(ask.Choices) == 0 {
		return nil
	}
	ask.Choices[0].Style = notifier.StylePrimary
	return ask
}

// choiceID makes the id of a choice of its label: "Not yet!" is not-yet. A label without Latin letters and digits has its number.
// Equal labels have equal ids, which is a fault; other ids differ.
func choiceID(label string, number int, taken map[notifier.ChoiceID]string) notifier.ChoiceID {
	slug := strings.Trim(noChoiceID.ReplaceAllString(strings.ToLower(label), "-"), "-")
	if slug == "" {
		slug = "choice-" + strconv.Itoa(number)
	}
	id := notifier.ChoiceID(slug[:min(len(slug), maxChoiceID)])
	if other, used := taken[id]; used && other != label {
		id += notifier.ChoiceID("-" + strconv.Itoa(number))
	}
	return id
}

// choiceLines returns the choices of a question as lines.
func choiceLines(ask *notifier.Ask) string {
	if ask == nil {
		return ""
	}
	labels := make([]string, len(ask.Choices))
	for i, c := range ask.Choices {
		labels[i] = c.Label
	}
	return strings.Join(labels, "\n")
}
