package notifier

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
)

// Ask is what makes a notice a question: its recipients choose, and the first choice with enough answers is the outcome.
// It is one of the Extras of its notice, so rows, events and polls carry it.
type Ask struct {
	ID        int64       `json:"id,omitempty"` // that of the notice; set in a Content
	State     AskState    `json:"state"`
	Choices   []Choice    `json:"choices"`
	Answers   []AskAnswer `json:"answers"` // once it has ended: those of the outcome, or else the first, at most MaxRowAnswers
	Outcome   ChoiceID    `json:"outcome"`
	ExpiresAt time.Time   `json:"expires_at"` // when it ends without an answer
	Rule      AskRule     `json:"-"`          // SQL has it beside the notice; zero in a notice that was read
}

// AskRule decides how a question ends.
type AskRule struct {
	Needs     int           // how many equal answers decide; 0: everybody answers, and nothing is decided
	Otherwise ChoiceID      // the outcome when time is up; empty: none
	Within    time.Duration // until it ends; 0: the lifetime of its type
}

// AskState is the stage of a question. Only an open one changes.
type AskState string

// The states of a question.
const (
	AskOpen      AskState = "open"
	AskAnswered  AskState = "answered"
	AskExpired   AskState = "expired"
	AskWithdrawn AskState = "withdrawn"
)

// Name returns the English name of the end; empty: open.
func (s AskState) Name() string {
	return map[AskState]string{AskAnswered: "Answered", AskExpired: "Expired", AskWithdrawn: "Withdrawn"}[s]
}

// ChoiceID identifies a choice within a question. The empty one is null in JSON: no outcome, or no answer.
type ChoiceID string

// MarshalJSON encodes the empty id as null.
func (c ChoiceID) MarshalJSON() ([]byte, error) {
	if c == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(c))
}

// Choice is one of the answers that a question offers.
type Choice struct {
	ID      ChoiceID    `json:"id"`
	Label   string      `json:"label"`
	Style   string      `json:"style"`
	Comment CommentRule `json:"comment"`
}

// CommentRule says whether an answer with a choice has a comment.
type CommentRule string

// The rules of comments.
const (
	CommentNone     CommentRule = "none"
	CommentOptional CommentRule = "optional"
	CommentRequired CommentRule = "required"
)

// AskAnswer is the answer of one user. The answer of a deleted user counts, without name and comment.
type AskAnswer struct {
	User    string    `json:"user,omitempty"` // the name; empty: deleted
	Name    string    `json:"name,omitempty"` // what they are called; empty: by their name
	Choice  ChoiceID  `json:"choice"`
	Comment string    `json:"comment"`
	At      time.Time `json:"at"`
}

// OpenAsk is what pages must know of an open question to show it to those who were asked.
type OpenAsk struct {
	ID  int64
	Key string          // of its row
	To  *roaring.Bitmap // the numbers of the users who were asked
}

// Asks reports whether the user with this number was asked.
func (o OpenAsk) Asks(seq int64) bool {
	return seq >= 0 && seq <= math.MaxUint32 && o.To.Contains(uint32(seq))
}

// Open reports whether there is a question that is open.
func (a *Ask) Open() bool { return a != nil && a.State == AskOpen }

// Ended reports whether there is a question that is no longer open.
func (a *Ask) Ended() bool { return a != nil && a.State != AskOpen }

// Choice returns the choice with this id; ok is false if there is none.
func (a *Ask) Choice(id ChoiceID) (c Choice, ok bool) {
	i := slices.IndexFunc(a.Choices, func(c Choice) bool { return c.ID == id })
	if i < 0 {
		return Choice{}, false
	}
	return a.Choices[i], true
}

// Decided returns the outcome that these answers have, in their order; empty: none yet.
func (a *Ask) Decided(answers []AskAnswer) ChoiceID {
	count := map[ChoiceID]int{}
	for _, is := range answers {
		if count[is.Choice]++; count[is.Choice] == a.Rule.Needs {
			return is.Choice
		}
	}
	return ""
}

// End returns the question in its last state, with the answers that its row shows.
func (a *Ask) End(state AskState, outcome ChoiceID, answers []AskAnswer) *Ask {
	ended := *a
	ended.State, ended.Outcome, ended.Answers = state, outcome, []AskAnswer{}
	for _, is := range answers {
		if len(ended.Answers) < MaxRowAnswers && (outcome == "" || is.Choice == outcome) {
			ended.Answers = append(ended.Answers, is)
		}
	}
	return &ended
}

// Became describes in one line what became of the question, with times in a zone: `Approve · Alice, 09:12 · 'fits the budget'`.
// named returns the name of a state, which takes the place of an outcome if there is none.
func (a *Ask) Became(zone *time.Location, named func(AskState) string) string {
	parts := []string{named(a.State)}
	if c, ok := a.Choice(a.Outcome); ok {
		parts[0] = c.Label
		for _, is := range a.Answers {
			parts = append(parts, is.by(zone)...)
		}
	}
	return strings.Join(parts, " · ")
}

func (is *AskAnswer) by(zone *time.Location) (parts []string) {
	parts = append(parts, cmp.Or(is.Name, is.User, Somebody)+", "+is.At.In(zone).Format("15:04"))
	if is.Comment != "" {
		parts = append(parts, "'"+is.Comment+"'")
	}
	return parts
}

// WithoutUser returns the question without the name and the comments of a user; changed is false if it has none of them.
func (a *Ask) WithoutUser(name string) (without *Ask, changed bool) {
	if a == nil || !slices.ContainsFunc(a.Answers, func(is AskAnswer) bool { return is.User == name }) {
		return a, false
	}
	rest := *a
	rest.Answers = slices.Clone(a.Answers)
	for i := range rest.Answers {
		if is := &rest.Answers[i]; is.User == name {
			is.User, is.Name, is.Comment = "", "", ""
		}
	}
	return &rest, true
}
