package notifier

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// More has the words of a row that stands for the notices of several actors. {actor} is the latest actor, {others} the
// number of the others.
type More struct {
	One   string `json:"one,omitempty"` // for exactly one other; empty: Other
	Other string `json:"other"`
}

// Limits of a group. Beyond MaxMembers the oldest notices are counted only, and retracting one of those changes nothing.
const (
	MaxActorsShown   = 3
	MaxActorsCounted = 50
	MaxMembers       = 200
)

// Group is what a row shows of the notices that it stands for: those with its key that arrived since it was last read.
type Group struct {
	Members
	Actors []RowActor // the latest first, at most MaxActorsShown
}

// Members lists the notices of a row. As text it is a word: m, or g if the latest notice has no More; the number of
// notices; + if there were too many actors to count; and ,ID=ACTOR for each notice, the oldest first, where ACTOR is
// empty or as RowActor.Code returns it. The scripts of package inbox read and write it.
type Members struct {
	Joins   bool // an older notice that arrives late joins the row
	Times   int
	Many    bool // there were more than MaxActorsCounted actors
	Notices []Member
}

// Member is a notice of a row, and the code of its actor.
type Member struct {
	ID    int64
	Actor string
}

// Code identifies the actor within an inbox: by id, or else by name.
func (a *RowActor) Code() string {
	switch {
	case a == nil:
		return ""
	case a.Gone != "":
		return a.Gone
	}
	text := "name " + a.Name
	if a.ID != "" {
		text = "id " + a.ID
	}
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

// Group returns the group of a row that stands for this notice alone; nil if it has neither an actor nor More.
func (n *Notice) Group() *Group {
	if n.Extras.Actor == nil && n.Extras.More == nil {
		return nil
	}
	g := &Group{Members: Members{Joins: n.Extras.More != nil, Times: 1, Notices: []Member{{n.ID, n.Extras.Actor.Code()}}}}
	if a := n.Extras.Actor; a != nil {
		g.Actors = []RowActor{*a}
	}
	return g
}

var errMembers = errors.New("malformed members")

// ParseGroup parses the lines that follow the content of a row: the word of its members, then the JSON of the latest
// actors. A line is empty if the actor is no longer known.
func ParseGroup(lines string) (*Group, error) {
	word, rest, more := strings.Cut(lines, "\n")
	members, ok := ParseMembers(word)
	if !ok {
		return nil, errMembers
	}
	g := &Group{Members: members}
	for more {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		var a RowActor
		if line != "" {
			if err := json.Unmarshal([]byte(line), &a); err != nil {
				return nil, err
			}
		}
		g.Actors = append(g.Actors, a)
	}
	return g, nil
}

// ParseMembers parses the word. ok is false for any other text.
func ParseMembers(word string) (m Members, ok bool) {
	head, list, _ := strings.Cut(word, ",")
	if head == "" || head[0] != 'g' && head[0] != 'm' {
		return m, false
	}
	m.Joins = head[0] == 'm'
	digits, many := strings.CutSuffix(head[1:], "+")
	times, err := strconv.Atoi(digits)
	if m.Many, m.Times = many, times; err != nil || times < 1 || list == "" {
		return m, false
	}
	for one := range strings.SplitSeq(list, ",") {
		id, actor, found := strings.Cut(one, "=")
		n, err := strconv.ParseInt(id, 10, 64)
		if err != nil || !found || n < 1 {
			return m, false
		}
		m.Notices = append(m.Notices, Member{n, actor})
	}
	return m, true
}

// String returns the word.
func (m *Members) String() string {
	b := make([]byte, 0, 8+18*len(m.Notices))
	if m.Joins {
		b = append(b, 'm')
	} else {
		b = append(b, 'g')
	}
	b = strconv.AppendInt(b, int64(m.Times), 10)
	if m.Many {
		b = append(b, '+')
	}
	for _, n := range m.Notices {
		b = strconv.AppendInt(append(b, ','), n.ID, 10)
		b = append(append(b, '='), n.Actor...)
	}
	return string(b)
}

// Latest returns the latest notice of each actor, the latest first.
func (m *Members) Latest() (of []Member) {
	seen := make(map[string]bool, len(m.Notices))
	for i := len(m.Notices) - 1; i >= 0; i-- {
		if n := m.Notices[i]; n.Actor != "" && !seen[n.Actor] {
			seen[n.Actor] = true
			of = append(of, n)
		}
	}
	return of
}

// Others returns the number of actors besides the latest. MaxActorsCounted means that many or more.
func (m *Members) Others() int {
	if m.Many {
		return MaxActorsCounted
	}
	return max(0, len(m.Latest())-1)
}

// Show gives the entry the title and the actor that its row shows.
func (e *Entry) Show() {
	if e.Group == nil {
		return
	}
	e.Group.Actors = slices.DeleteFunc(e.Group.Actors, func(a RowActor) bool { return a.Name == "" })
	if len(e.Group.Actors) == 0 {
		return
	}
	e.Actor = &e.Group.Actors[0]
	e.Title = e.titleFor(e.Group.Actors[0].Name, e.Group.Others())
}

// titleFor returns the title of a row with this number of actors besides the latest.
func (c *Content) titleFor(actor string, others int) string {
	if others == 0 || c.More == nil {
		return c.Title
	}
	words, count := c.More.Other, strconv.Itoa(others)
	if others == 1 && c.More.One != "" {
		words = c.More.One
	}
	if others == MaxActorsCounted {
		count += "+"
	}
	return strings.NewReplacer("{actor}", actor, "{others}", count).Replace(words)
}

// shownGroup is how an event names the group of a row.
type shownGroup struct {
	Actors []RowActor `json:"actors"`
	Others int        `json:"others"`
	Times  int        `json:"times"`
}

// ShowGroup returns the JSON of an event about a row as its client sees it: a group becomes its actors, others and times,
// and the title that it makes, in which deleted actors have the name somebody. Any other JSON is returned unchanged.
func ShowGroup(event, somebody string) string {
	const head = `"group":`
	at := strings.Index(event, head)
	if at < 0 || at > len(`{"at":1234567890123456789,`) {
		return event
	}
	var g shownGroup
	dec := json.NewDecoder(strings.NewReader(event[at+len(head):]))
	if dec.Decode(&g) != nil {
		return event
	}
	rest := event[at+len(head)+int(dec.InputOffset()):]
	var c Content
	if !strings.HasPrefix(rest, ",") || json.Unmarshal([]byte("{"+rest[1:]), &c) != nil {
		return event
	}
	for i := range g.Actors {
		g.Actors[i] = g.Actors[i].named(somebody)
	}
	if len(g.Actors) > 0 {
		c.Title = c.titleFor(g.Actors[0].Name, g.Others)
	}
	c.Actor, c.More = nil, nil
	shown, err := EncodeContent(c)
	list, err2 := json.Marshal(g)
	if err != nil || err2 != nil {
		return event
	}
	return event[:at] + string(shown[1:len(shown)-1]) + "," + string(list[1:])
}

// WithTitle returns content, which is JSON from EncodeContent, with another title. Content that cannot be decoded is returned
// unchanged.
func WithTitle(content []byte, title string) []byte {
	var c Content
	if json.Unmarshal(content, &c) != nil {
		return content
	}
	c.Title = title
	if changed, err := EncodeContent(c); err == nil {
		return changed
	}
	return content
}
