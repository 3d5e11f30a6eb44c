package api

import (
	"strconv"
	"strings"
)

const (
	typeJSON = "application/json"
	typeXML  = "application/xml"
)

// prefersXML reports whether the header Accept prefers XML to JSON. It returns false if both
// are equally preferred or neither is named.
func prefersXML(accept string) bool {
	if accept == "" || accept == "*/*" || accept == typeJSON {
		return false
	}
	var xml, json quality
	for part := range strings.SplitSeq(accept, ",") {
		kind, params, _ := strings.Cut(part, ";")
		q := weight(params)
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case typeXML, "text/xml":
			xml.named(q)
		case typeJSON:
			json.named(q)
		case "application/*", "*/*":
			xml.any(q)
			json.any(q)
		}
	}
	return xml.q > json.q
}

// quality is the weight of a media type in Accept. Its own name takes precedence over a
// pattern.
type quality struct {
	q      float64
	byName bool
}

func (w *quality) named(q float64) {
	if w.byName {
		q = max(q, w.q)
	}
	w.q, w.byName = q, true
}

func (w *quality) any(q float64) {
	if !w.byName {
		w.q = max(w.q, q)
	}
}

// weight returns the parameter q: 1 if it is missing, 0 if it is malformed.
func weight(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(p, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
}
