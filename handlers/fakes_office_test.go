package handlers_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// office is a world in which staff administer data in memory.
type office struct {
	*world
	roles  *roleBook
	topics *topics
	subs   *[]notifier.Subscription // newest first
	asked  *[]notifier.SubscriptionQuery
	apps   *appBook
	keys   *keyring
	rules  *ruleBook
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{
		roles: &roleBook{members: map[string][]string{notifier.RoleStaff: {"carol"}}, users: []string{"alice", "bob", "carol"}},
		apps:  &appBook{}, keys: &keyring{forms: map[string]int{}}, rules: &ruleBook{}, subs: &[]notifier.Subscription{}, asked: &[]notifier.SubscriptionQuery{},
	}
	o.topics = &topics{subscribe: o.subscribe, unsubscribe: o.unsubscribe, saveType: o.saveType, deleteType: o.deleteType}
	o.world = newWorld(t, func(w *world) {
		w.config.Roles, w.config.Apps, w.config.Keys, w.config.Rules, w.config.Topics = o.roles, o.apps, o.keys, o.rules, o.topics
		w.config.Subscriptions = subscriptions(o.list)
		o.roles.audit, o.apps.audit, o.keys.audit, o.topics.audit = w.audit, w.audit, w.audit, w.audit
		o.apps.ring = o.keys
		w.directory.users = o.roles.list
	})
	return o
}

func (o *office) list(q notifier.SubscriptionQuery) ([]notifier.Subscription, error) {
	*o.asked = append(*o.asked, q)
	all := *o.subs
	return all[:min(len(all), q.Limit)], nil
}

func (o *office) subscribe(s notifier.Subscription) (bool, error) {
	if err := s.Validate(); err != nil {
		return false, err
	}
	if s.User == "nobody" {
		var bad notifier.InvalidError
		bad.Add("user", notifier.CodeUnknownUser, map[string]any{"Name": s.User})
		return false, &bad
	}
	s.ID, s.CreatedAt = int64(len(*o.subs)+1), noon.Add(-time.Hour)
	*o.subs = append([]notifier.Subscription{s}, *o.subs...)
	return true, nil
}

func (o *office) unsubscribe(s notifier.Subscription) (bool, error) {
	before := len(*o.subs)
	*o.subs = slices.DeleteFunc(*o.subs, func(each notifier.Subscription) bool {
		return each.Topic == s.Topic && each.Subscriber == s.Subscriber
	})
	return len(*o.subs) < before, nil
}

func (o *office) saveType(t notifier.NoticeType) error {
	if err := t.Validate(notifier.DefaultKeep); err != nil {
		return err
	}
	all := slices.DeleteFunc(slices.Clone(o.topics.types), func(each notifier.NoticeType) bool { return each.Slug == t.Slug })
	all = append(all, t)
	slices.SortFunc(all, func(a, b notifier.NoticeType) int { return cmp.Compare(a.Slug, b.Slug) })
	o.topics.types = all
	return nil
}

func (o *office) deleteType(slug string) error {
	if slices.ContainsFunc(*o.subs, func(s notifier.Subscription) bool { return s.Type == slug }) {
		return notifier.ErrConflict
	}
	before := len(o.topics.types)
	o.topics.types = slices.DeleteFunc(slices.Clone(o.topics.types), func(t notifier.NoticeType) bool { return t.Slug == slug })
	if len(o.topics.types) == before {
		return notifier.ErrNotFound
	}
	return nil
}

// done lists the audit entries as actor, action and object.
func (o *office) done() []string {
	var done []string
	for _, e := range o.audit.entries {
		done = append(done, strings.TrimSpace(e.Actor.String()+" "+e.Action+" "+e.Object.String()+" "+e.Detail))
	}
	return done
}

// roleBook is roles with the names of their members.
type roleBook struct {
	members map[string][]string
	users   []string
	asked   []notifier.UserQuery
	audit   *audit
	err     error
}

// record notes who has changed what.
func (b *roleBook) record(ctx context.Context, by notifier.Actor, action string, object notifier.Ref, detail string) error {
	if b.err != nil {
		return b.err
	}
	return b.audit.Audit(ctx, notifier.AuditEntry{Actor: by.Ref, Action: action, Object: object, Detail: detail, Address: by.Address})
}

func (b *roleBook) list(q notifier.UserQuery) ([]notifier.User, error) {
	b.asked = append(b.asked, q)
	var found []notifier.User
	for i, name := range b.members[q.Role] {
		if len(found) < q.Limit && strings.Contains(name, q.Contains) {
			u := notifier.User{Name: name, Seq: int64(100 + i), Audience: 2}
			if name == carol.Name {
				u.Seq = carol.Seq
			}
			found = append(found, u)
		}
	}
	return found, b.err
}

func (b *roleBook) RolesPage(_ context.Context, q notifier.RoleQuery) ([]notifier.RoleInfo, error) {
	var found []notifier.RoleInfo
	for name, members := range b.members {
		if name > q.After && strings.Contains(name, q.Contains) {
			found = append(found, notifier.RoleInfo{Name: name, Members: int64(len(members))})
		}
	}
	slices.SortFunc(found, func(x, y notifier.RoleInfo) int { return cmp.Compare(x.Name, y.Name) })
	return found[:min(len(found), q.Limit)], b.err
}

func (b *roleBook) Role(_ context.Context, name string) (notifier.RoleInfo, error) {
	members, known := b.members[name]
	if !known {
		return notifier.RoleInfo{}, notifier.ErrNotFound
	}
	return notifier.RoleInfo{Name: name, Members: int64(len(members))}, b.err
}

func (b *roleBook) CreateRole(ctx context.Context, by notifier.Actor, name string) error {
	if !notifier.ValidName(name) {
		var bad notifier.InvalidError
		bad.Add("role", notifier.CodeBadName, map[string]any{"Name": name})
		return &bad
	}
	if _, known := b.members[name]; known {
		return notifier.ErrConflict
	}
	b.members[name] = nil
	return b.record(ctx, by, "role.create", notifier.RoleRef(name), "")
}

func (b *roleBook) DeleteRole(ctx context.Context, by notifier.Actor, name string) error {
	if name == notifier.RoleStaff {
		return notifier.ErrConflict
	}
	if _, known := b.members[name]; !known {
		return notifier.ErrNotFound
	}
	delete(b.members, name)
	return b.record(ctx, by, "role.delete", notifier.RoleRef(name), "")
}

func (b *roleBook) GrantRole(ctx context.Context, by notifier.Actor, user, role string) error {
	if !slices.Contains(b.users, user) {
		return notifier.ErrNotFound
	}
	if !slices.Contains(b.members[role], user) {
		b.members[role] = append(b.members[role], user)
	}
	return b.record(ctx, by, "user.role.add", notifier.UserNamed(user), role)
}

func (b *roleBook) RevokeRole(ctx context.Context, by notifier.Actor, user, role string) error {
	b.members[role] = slices.DeleteFunc(b.members[role], func(name string) bool { return name == user })
	return b.record(ctx, by, "user.role.remove", notifier.UserNamed(user), role)
}

// keyring is keys, newest first.
type keyring struct {
	audit   *audit
	all     []notifier.APIKey
	hashes  []string
	forms   map[string]int // number of keys with it
	listErr error
}

func (k *keyring) Keys(context.Context) ([]notifier.APIKey, error) { return k.all, k.listErr }

func (k *keyring) AddKeyOnce(_ context.Context, by notifier.Actor, key notifier.APIKey, hash []byte, form string) (notifier.APIKey, bool, error) {
	if id := k.forms[form]; id > 0 {
		return k.all[len(k.all)-id], true, nil
	}
	key.ID, key.CreatedAt = int64(len(k.all)+1), noon
	k.all, k.hashes = append([]notifier.APIKey{key}, k.all...), append(k.hashes, string(hash))
	if form != "" {
		k.forms[form] = len(k.all)
	}
	k.audit.deed(by, "key.add", notifier.KeyRef(key.Name), key.Audited(), nil)
	return key, false, nil
}

// slips keeps one text for each page and user.
type slips map[string]string

func (s slips) Put(_ http.ResponseWriter, _ *http.Request, path string, seq int64, text string) error {
	s[fmt.Sprint(path, seq)] = text
	return nil
}

func (s slips) Take(_ http.ResponseWriter, r *http.Request, seq int64) (string, bool) {
	key := fmt.Sprint(r.URL.Path, seq)
	text, ok := s[key]
	delete(s, key)
	return text, ok
}

func (k *keyring) RevokeKey(_ context.Context, by notifier.Actor, id int64) (notifier.APIKey, error) {
	for i := range k.all {
		if k.all[i].ID == id {
			k.all[i].RevokedAt = noon
			k.audit.deed(by, "key.revoke", notifier.KeyRef(k.all[i].Name), k.all[i].Audited(), nil)
			return k.all[i], nil
		}
	}
	return notifier.APIKey{}, notifier.ErrNotFound
}

// ruleBook is rules that run on demand.
type ruleBook struct {
	states []notifier.RuleState
	ran    []string
	err    error
}

func (b *ruleBook) States(context.Context) ([]notifier.RuleState, error) { return b.states, nil }

func (b *ruleBook) RunNow(_ context.Context, name string) error {
	if b.err == nil {
		b.ran = append(b.ran, name)
	}
	return b.err
}
