package handlers

import (
	"maps"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// listing is which part of a list an address means, and in which order. Sort is
// one of the list's own orders; the first of those goes without saying.
type listing struct {
	path   string
	orders []string
	search string
	sort   string
	narrow url.Values // fields that narrow it down to a part, which every page of it keeps
}

// readList reads an address. A search of more bytes than anything has is none,
// and so is an order that there is not.
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

// address is that of a page of the list. An empty cursor is the first page.
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

// said is the order as an address says it.
func (l listing) said() string {
	if l.sort == l.orders[0] {
		return ""
	}
	return l.sort
}

// listed says how many rows a page has, and whether there are more; of none it says
// what stands in their place.
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

// column is the head of a column. When the list can be sorted by it, it leads to
// the list in that order, or in the other one when it is sorted so already.
func (l listing) column(text *locale.Printer, prefix, name string) components.Column {
	c := components.Column{Text: text.T(prefix + name)}
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
