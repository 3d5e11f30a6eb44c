package components

// markup builds HTML.
type markup struct{ b []byte }

// raw appends our own markup. Never pass a value to it.
func (m *markup) raw(s string) *markup {
	m.b = append(m.b, s...)
	return m
}

// escaped appends bytes that text has already escaped.
func (m *markup) escaped(b []byte) *markup {
	m.b = append(m.b, b...)
	return m
}

// text appends a value, escaped for text between tags and for quoted attributes.
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

// escapes has the replacement that html.EscapeString makes for each byte.
var escapes = [256]string{'&': "&amp;", '<': "&lt;", '>': "&gt;", '"': "&#34;", '\'': "&#39;"}
