package components

// markup is HTML in the making.
type markup struct{ b []byte }

// raw appends markup of our own. It never gets a value.
func (m *markup) raw(s string) *markup {
	m.b = append(m.b, s...)
	return m
}

// escaped appends what text has escaped before.
func (m *markup) escaped(b []byte) *markup {
	m.b = append(m.b, b...)
	return m
}

// text appends a value, escaped so that it is text between tags and inside a
// quoted attribute.
func (m *markup) text(s string) *markup {
	begin := 0
	for i := range len(s) {
		escaped := escapes[s[i]]
		if escaped == "" {
			continue
		}
		m.b = append(m.b, s[begin:i]...)
		m.b = append(m.b, escaped...)
		begin = i + 1
	}
	m.b = append(m.b, s[begin:]...)
	return m
}

// escapes are what html.EscapeString writes for a byte.
var escapes = [256]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&#34;", '\'': "&#39;"}
