package handlers

import (
	"net/url"
	"strings"
)

// pasted replaces characters that come from spreadsheets and slides but are not allowed in our texts: tabs, vertical
// tabs, form feeds, single carriage returns and Unicode separators become spaces or line breaks. An application that
// sends them gets an error, but a person who pasted them cannot see them.
func pasted(values url.Values) {
	for name, all := range values {
		for i, text := range all {
			switch name {
			case "to", "to_kept": // all separators between names are accepted
			case "public_key", "roles": // parsed line by line
			case "password": // it is used as it was typed
			case "body", "choices":
				all[i] = pastedLines.Replace(text)
			default:
				all[i] = pastedLine.Replace(text)
			}
		}
	}
}

var (
	pastedLines = strings.NewReplacer("\r\n", "\r\n", "\t", " ", "\v", "\n", "\f", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n\n")
	pastedLine  = strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ", "\v", " ", "\f", " ", "\r", " ", "\u0085", " ", "\u2028", " ", "\u2029", " ")
)
