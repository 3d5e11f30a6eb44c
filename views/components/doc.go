// Package components contains the components of the pages: rows, buttons, fields, tabs,
// tables, banners, empty states, dialogs and progress bars. They show the texts they are given,
// in the reader's language; the demo shows all of them on /staff/components.
package components

import (
	"context"

	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/internal/web"
)

// Icons is the address of static/icons/sprite.svg, which has the icons by name.
type Icons string

// use is the address of one icon.
func (i Icons) use(name string) string { return string(i) + "#" + name }

// current is the value of aria-current.
func current(is bool) string {
	if is {
		return "page"
	}
	return "false"
}

// boosted makes the links and forms in an element replace one part of the page with the same part
// of the page they lead to. Without script they navigate there.
func boosted(part string) templ.Attributes {
	return templ.Attributes{
		"hx-boost": "true", "hx-target": part, "hx-select": part, "hx-swap": "outerHTML show:none",
	}
}

// at is the address that browsers use for a path of Carillon.
func at(ctx context.Context, path string) string { return web.At(ctx, path) }
