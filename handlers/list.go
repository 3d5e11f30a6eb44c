package handlers

import (
	"maps"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// listing is the part of a list that an address names, and its order. sort is one of orders; the
// first of them is the default.
type listing struct {
	path   string
	orders []string
	search string
	sort   string
	narrow url.Values // filters, kept by every page of the list
}

// readList reads an address. It ignores a search of more than longest bytes, since nothing could
// match it, and an unknown order.
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

// address is the address of a page of the list. An empty value is the first page.
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

// said is the order as the address has it; the default is empty.
func (l listing) said() string {
	if l.sort == l.orders[0] {
		return ""
	}
	return l.sort
}

// listed says how many rows a page has and whether there are more; without rows it is the heading
// of empty.
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

// column is the head of a column. If the list can be sorted by it, it links to the list in that
// order, or in reverse if that is the current order.
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
