package handlers

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

const typesPath = "/staff/types"

// typePath is the address of a type's form, or with an empty slug, of the form for a new type.
func typePath(slug string) string { return typesPath + "?" + url.Values{"type": {slug}}.Encode() }

// noticeTypes lists the types, or shows the form of one. The types are in memory, so paging is by slug.
func (h *Handlers) noticeTypes(w http.ResponseWriter, r *http.Request) error {
	values := r.URL.Query()
	if values.Has("type") {
		return h.typeForm(w, r, values.Get("type"))
	}
	l := readList(values, typesPath, notifier.MaxName, "type", "-type")
	p := &views.Types{Frame: h.frame(r, "types", "types.title"), New: typePath("")}
	p.List = listOf(r, p.Text, l, "types.column_", "type", "expires", "people", "action")
	p.Empty = nothing(p.Text, "inbox", "types.", l.search != "")
	if n := undescribed(h.Topics.Types()); n > 0 {
		p.Undescribed = p.Text.N("types.undescribed", n)
	}
	found := h.typesFrom(p.Text, l, kept(values.Get("after")))
	if values.Get("after") != "" {
		p.First = l.address("", "")
	}
	if len(found) > perPage {
		found = found[:perPage]
		p.Next = l.address("after", found[perPage-1].Slug)
	}
	for i := range found {
		p.Rows = append(p.Rows, h.typeRow(p.Text, &found[i]))
	}
	p.Say = listed(p.Text, len(p.Rows), p.Next != "", p.Empty)
	return h.page(w, r, http.StatusOK, views.TypesPage(p))
}

// typesFrom returns the types for a page, and one more if there is a next page: those after the given slug whose slug
// or name matches the search.
func (h *Handlers) typesFrom(text *locale.Printer, l listing, after string) []notifier.NoticeType {
	sign := 1
	if l.sort == "-type" {
		sign = -1
	}
	all := slices.Clone(h.Topics.Types())
	slices.SortFunc(all, func(a, b notifier.NoticeType) int { return sign * cmp.Compare(a.Slug, b.Slug) })
	part := strings.ToLower(l.search)
	var found []notifier.NoticeType
	for _, t := range all {
		if after != "" && sign*cmp.Compare(t.Slug, after) <= 0 {
			continue
		}
		if strings.Contains(t.Slug+"\n"+strings.ToLower(h.Topics.Name(t.Slug, text.Lang())), part) {
			found = append(found, t)
		}
		if len(found) > perPage {
			break
		}
	}
	return found
}

// undescribed counts the types without a description or settings.
func undescribed(types []notifier.NoticeType) (n int64) {
	for i := range types {
		if t := &types[i]; t.Undescribed() {
			n++
		}
	}
	return n
}

func (h *Handlers) typeRow(text *locale.Printer, t *notifier.NoticeType) views.TypeRow {
	row := views.TypeRow{
		Slug: t.Slug, Name: h.Topics.Name(t.Slug, text.Lang()), Href: typePath(t.Slug), Expires: text.T("types.usual"),
		Subscriptions: subscriptionsPath + "?" + url.Values{"type": {t.Slug}}.Encode(),
	}
	look := h.lookOf(t.Slug)
	row.Mark = views.Mark{Icon: look.Icon, Initials: look.Initials, Tint: look.Tint}
	if t.ExpiresIn > 0 {
		row.Expires = lasting(text, t.ExpiresIn)
	}
	var can []string
	if !t.NoMute {
		can = append(can, text.T("types.mutable"))
	}
	if t.Open {
		can = append(can, text.T("types.open"))
	}
	row.People = listedNames(text, can)
	row.SubscriptionsNamed = text.F("types.subscriptions_named", "Name", row.Name)
	return row
}

// knownType finds a type by its slug.
func (h *Handlers) knownType(slug string) (t notifier.NoticeType, known bool) {
	types := h.Topics.Types()
	i, known := slices.BinarySearchFunc(types, slug, func(t notifier.NoticeType, slug string) int { return cmp.Compare(t.Slug, slug) })
	if known {
		t = types[i]
	}
	return t, known
}
