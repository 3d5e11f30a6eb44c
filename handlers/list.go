package handlers

import (
	"maps"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// listing is the part of a list that an address selects, and its order. sort is one of orders; the first is the
// default.
type listing struct {
	path   string
	orders []string
	search string
	sort   string
	narrow url.Values // filters, kept in every page's address
}

// readList parses an address. It ignores an unknown order and a search of more than longest bytes, which cannot
// match.
func readList(values url.Values, path string, longest int, orders ...string) listing {
	l := listing{path: path, orders: orders, sort: orders[0], search: kept(strings.TrimSpace(values.Get("q")))}
	if len(l.search) > longest {
		l.search = ""
	}
	if contains(orders, values.Get("sort")) {
		l.sort = values.Get("sort")
	}
	return l
}

// address returns the address of a page of the list. An empty value gives the first page.
func (l listing) address(cursor, value string) string {
	values := url.Values{}
	maps.Copy(values, l.narrow)
	for _, field := range []struct{ name, value string }{{"q", l.search}, {"sort", l.said()}, {cursor, value}} {
		if field.value != "" {
			values.Set(field.name, field.value)
		}
	}
	if len(values) == 0 {
		return l.path
	}
	return l.path + "?" + values.Encode()
}

// said returns the order as it appears in addresses; the default is "".
func (l listing) said() string {
	if l.sort == l.orders[0] {
		return ""
	}
	return l.sort
}

// listed returns the line with the number of rows and whether there are more; without rows it returns empty's
// heading.
func listed(text *locale.Printer, rows int, more bool, empty components.Empty) string {
	switch {
	case rows == 0:
		return empty.Heading
	case more:
		return text.N("list.found_more", int64(rows))
	default:
		return text.N("list.found", int64(rows))
	}
}

// column returns the header of a column. If the list can be sorted by it, the header links to that order, or to the
// reverse if that order is current.
func (l listing) column(text *locale.Printer, prefix, name string) components.Column {
	c := components.Column{Text: text.T(prefix + name), Unseen: name == "action"}
	for _, order := range l.orders {
		by, falling := strings.CutPrefix(order, "-")
		switch {
		case by != name:
		case order == l.sort && falling:
			c.Sorted = "descending"
		case order == l.sort:
			c.Sorted = "ascending"
		case c.Href == "":
			other := l
			other.sort = order
			c.Href = other.address("", "")
		}
	}
	return c
}
