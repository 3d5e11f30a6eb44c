package topic

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// types caches the known types. The current list is never modified, only replaced.
type types struct {
	loading lock // held while types are read from SQL or changed there
	known   atomic.Pointer[known]
}

type known struct {
	list []notifier.NoticeType // sorted by slug
	by   map[string]int        // slug → index in list
}

// put replaces the known types with list, which is sorted by slug.
func (y *types) put(list []notifier.NoticeType) {
	k := &known{list: slices.Clip(list), by: make(map[string]int, len(list))}
	for i := range list {
		k.by[list[i].Slug] = i
	}
	y.known.Store(k)
}

func (y *types) of(slug string) (notifier.NoticeType, bool) {
	k := y.known.Load()
	i, there := k.by[slug]
	if !there {
		return notifier.NoticeType{}, false
	}
	return k.list[i], true
}

// with returns the known types plus these, which replace types with the same slugs.
func (y *types) with(added ...notifier.NoticeType) []notifier.NoticeType {
	by := map[string]notifier.NoticeType{}
	for _, t := range y.known.Load().list {
		by[t.Slug] = t
	}
	for _, t := range added {
		by[t.Slug] = t
	}
	return slices.SortedFunc(maps.Values(by), bySlug)
}

func bySlug(a, b notifier.NoticeType) int { return strings.Compare(a.Slug, b.Slug) }

func same(a, b notifier.NoticeType) bool {
	return a.Slug == b.Slug && a.ExpiresIn == b.ExpiresIn && a.NoMute == b.NoMute && a.Open == b.Open && a.Icon == b.Icon && a.Color == b.Color &&
		a.Urgent == b.Urgent && a.NoPush == b.NoPush && a.NoMail == b.NoMail &&
		a.CreatedAt.Equal(b.CreatedAt) && maps.Equal(a.Names, b.Names)
}

// Types returns the known types, sorted by slug. The slice is shared and never changes: a change of a type
// creates a new slice.
func (t *Topics) Types() []notifier.NoticeType { return t.types.known.Load().list }

// Type returns a known type.
func (t *Topics) Type(slug string) (notifier.NoticeType, bool) { return t.types.of(slug) }

// Look returns a type's appearance: what staff chose, otherwise what the words of its slug give.
func (t *Topics) Look(slug string) notifier.Look {
	n, _ := t.types.of(slug)
	return notifier.LookOf(slug).Chosen(&n)
}

// Mutable reports whether users may mute the type. Unknown types can be muted.
func (t *Topics) Mutable(typ string) bool {
	n, _ := t.types.of(typ)
	return !n.NoMute
}

// Expiry returns the default life of a notice of the type; 0: as long as
// possible.
func (t *Topics) Expiry(typ string) time.Duration {
	n, _ := t.types.of(typ)
	return n.ExpiresIn
}

// Chinese in its two scripts.
const (
	simplified  = "zh-Hans"
	traditional = "zh-Hant"
)

// Name returns the type's name in a language, else its English name, else its slug. Readers of Chinese get a name in the other
// script rather than the English one.
func (t *Topics) Name(typ, lang string) string {
	n, _ := t.types.of(typ)
	other := map[string]string{simplified: traditional, traditional: simplified}[lang]
	for _, l := range []string{lang, other, "en"} {
		if name := n.Names[l]; name != "" {
			return name
		}
	}
	return typ
}

// Use creates the unknown types among slugs, as the first use of a type does, up to notifier.MaxTypes
// in total. Invalid slugs are ignored. If all are known, it makes no call to SQL.
func (t *Topics) Use(ctx context.Context, slugs []string) error {
	if len(t.unknown(slugs)) == 0 {
		return nil
	}
	if err := t.types.loading.take(ctx); err != nil {
		return err
	}
	defer t.types.loading.give()
	fresh := t.unknown(slugs) // another call may have created some
	if len(fresh) == 0 {
		return nil
	}
	if err := t.store.EnsureTypes(ctx, fresh); err != nil {
		return fmt.Errorf("create %d notice types: %w", len(fresh), err)
	}
	added := make([]notifier.NoticeType, len(fresh))
	for i, slug := range fresh {
		// Another instance may have created and described it: the next round reads that.
		added[i] = notifier.NoticeType{Slug: slug, CreatedAt: t.o.Now()}
	}
	t.types.put(t.types.with(added...))
	return nil
}

// unknown returns the valid, unknown slugs, each once, as far as there is room for more.
func (t *Topics) unknown(slugs []string) (fresh []string) {
	k := t.types.known.Load()
	room := notifier.MaxTypes - len(k.list)
	if room <= 0 {
		return nil
	}
	for _, slug := range slugs {
		if _, there := k.by[slug]; !there && notifier.ValidType(slug) {
			fresh = append(fresh, slug)
		}
	}
	slices.Sort(fresh)
	fresh = slices.Compact(fresh)
	return fresh[:min(len(fresh), room)]
}

// SaveType creates or replaces a type. Faults are a *notifier.InvalidError.
func (t *Topics) SaveType(ctx context.Context, by notifier.Actor, n notifier.NoticeType) error {
	if err := n.Validate(t.o.Keep); err != nil {
		return err
	}
	return t.change(ctx, func() error { return t.store.SaveType(ctx, by, n) })
}

// DeleteType returns notifier.ErrNotFound for an unknown type, and notifier.ErrConflict while the
// type has subscribers. The next notice of the type creates it again.
func (t *Topics) DeleteType(ctx context.Context, by notifier.Actor, slug string) error {
	return t.change(ctx, func() error { return t.store.DeleteType(ctx, by, slug) })
}

// DeleteUndescribed deletes the types that have neither a description nor subscribers, and returns
// their number. The next notice of such a type creates it again.
func (t *Topics) DeleteUndescribed(ctx context.Context, by notifier.Actor) (n int64, err error) {
	err = t.change(ctx, func() error {
		n, err = t.store.DeleteUndescribed(ctx, by)
		return err
	})
	return n, err
}

// change changes types in SQL and reloads them.
func (t *Topics) change(ctx context.Context, do func() error) error {
	if err := t.types.loading.take(ctx); err != nil {
		return err
	}
	defer t.types.loading.give()
	if err := do(); err != nil {
		return err
	}
	// The change is committed. If the types cannot be read now, Run reads them soon.
	if err := t.readTypes(ctx); err != nil {
		t.o.Log.WarnContext(ctx, "could not reload the notice types", "stage", "topic", "err", err)
	}
	return nil
}

// refreshTypes reads the types from SQL.
func (t *Topics) refreshTypes(ctx context.Context) error {
	if err := t.types.loading.take(ctx); err != nil {
		return err
	}
	defer t.types.loading.give()
	return t.readTypes(ctx)
}

func (t *Topics) readTypes(ctx context.Context) error {
	list, err := t.store.Types(ctx)
	if err != nil {
		return fmt.Errorf("read the notice types: %w", err)
	}
	slices.SortFunc(list, bySlug)
	if !slices.EqualFunc(list, t.Types(), same) {
		t.types.put(list)
	}
	return nil
}
