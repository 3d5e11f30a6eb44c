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

// types is the known types in memory. What is there is never changed: another one
// takes its place.
type types struct {
	loading lock // one at a time reads or changes them in SQL
	known   atomic.Pointer[known]
}

type known struct {
	list []notifier.NoticeType // by slug
	by   map[string]int        // slug → place in list
}

// put makes list, which is by slug, what is known.
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

// with is what is known and these; they replace those of the same slugs.
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
	return a.Slug == b.Slug && a.ExpiresIn == b.ExpiresIn && a.NoMute == b.NoMute && a.Open == b.Open &&
		a.CreatedAt.Equal(b.CreatedAt) && maps.Equal(a.Names, b.Names)
}

// Types lists what is known, by slug. The answer is shared and stays as it is: when a
// type changes, another slice takes its place.
func (t *Topics) Types() []notifier.NoticeType { return t.types.known.Load().list }

// Mutable says whether users may mute the type. One that is not known is.
func (t *Topics) Mutable(typ string) bool {
	n, _ := t.types.of(typ)
	return !n.NoMute
}

// Expiry is how long notices of the type live that say nothing about it; 0: as long
// as any.
func (t *Topics) Expiry(typ string) time.Duration {
	n, _ := t.types.of(typ)
	return n.ExpiresIn
}

// Name is what a type is called in a language; else in English, else its slug.
func (t *Topics) Name(typ, lang string) string {
	n, _ := t.types.of(typ)
	for _, l := range []string{lang, "en"} {
		if name := n.Names[l]; name != "" {
			return name
		}
	}
	return typ
}

// Use makes those of these types that are not known, which their first use does. It
// costs nothing but a look when all are known. What is no type is left out.
func (t *Topics) Use(ctx context.Context, slugs []string) error {
	if len(t.unknown(slugs)) == 0 {
		return nil
	}
	if err := t.types.loading.take(ctx); err != nil {
		return err
	}
	defer t.types.loading.give()
	fresh := t.unknown(slugs) // another may have made some meanwhile
	if len(fresh) == 0 {
		return nil
	}
	if err := t.store.EnsureTypes(ctx, fresh); err != nil {
		return fmt.Errorf("make %d types of notices known: %w", len(fresh), err)
	}
	added := make([]notifier.NoticeType, len(fresh))
	for i, slug := range fresh {
		// Another instance may have made it and said more: the next look tells.
		added[i] = notifier.NoticeType{Slug: slug, CreatedAt: t.o.Now()}
	}
	t.types.put(t.types.with(added...))
	return nil
}

// unknown is those slugs that are types and not known, each once.
func (t *Topics) unknown(slugs []string) (fresh []string) {
	k := t.types.known.Load()
	for _, slug := range slugs {
		if _, there := k.by[slug]; !there && notifier.ValidType(slug) && !slices.Contains(fresh, slug) {
			fresh = append(fresh, slug)
		}
	}
	return fresh
}

// SaveType makes a type or replaces it. Its faults are a *notifier.InvalidError.
func (t *Topics) SaveType(ctx context.Context, n notifier.NoticeType) error {
	if err := n.Validate(t.o.Keep); err != nil {
		return err
	}
	return t.change(ctx, func() error { return t.store.SaveType(ctx, n) })
}

// DeleteType is notifier.ErrNotFound when there is none, notifier.ErrConflict while
// somebody subscribes to it. The next notice of the type makes it again.
func (t *Topics) DeleteType(ctx context.Context, slug string) error {
	return t.change(ctx, func() error { return t.store.DeleteType(ctx, slug) })
}

// change changes types in SQL, and then knows them as they are there.
func (t *Topics) change(ctx context.Context, do func() error) error {
	if err := t.types.loading.take(ctx); err != nil {
		return err
	}
	defer t.types.loading.give()
	if err := do(); err != nil {
		return err
	}
	// It is done: when they cannot be read now, Run reads them a moment later.
	if err := t.readTypes(ctx); err != nil {
		t.o.Log.WarnContext(ctx, "types of notices not read again", "stage", "topic", "err", err)
	}
	return nil
}

// refreshTypes reads them from SQL.
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
		return fmt.Errorf("read the types of notices: %w", err)
	}
	slices.SortFunc(list, bySlug)
	if !slices.EqualFunc(list, t.Types(), same) {
		t.types.put(list)
	}
	return nil
}
