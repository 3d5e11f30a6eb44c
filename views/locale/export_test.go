package locale

import "slices"

// Message is a message of a catalogue.
type Message struct {
	Text     string   // of the plural form `other`
	Values   []string // the names of its placeholders, sorted
	Singular []string // those of the plural form `one`; nil: there is none
}

// Messages returns all messages by their ids.
func (p *Printer) Messages() map[string]Message {
	found := map[string]Message{}
	for id, m := range p.messages {
		found[id] = Message{m.plain, m.other.names(), m.one.names()}
	}
	return found
}

func (p pattern) names() []string {
	if p == nil {
		return nil
	}
	names := []string{}
	for i := 1; i < len(p); i += 2 {
		names = append(names, p[i])
	}
	slices.Sort(names)
	return names
}

// Remembered returns how many Accept-Language headers are cached.
func (c *Catalogue) Remembered() int {
	c.headers.CleanUp()
	return c.headers.EstimatedSize()
}
