// Package demo contains the users, topics, notices and announcements of the demonstration that
// `carillon serve --demo` shows.
package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/alexedwards/argon2id"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// hashPrefix is the start of the hash of every demo password. The hash is cheap, because the password is
// public, and it distinguishes demo users from others.
const hashPrefix = "$argon2id$v=19$m=1024,t=1,p=1$"

// Sender is the demo user who sends the notices of the demonstration.
const Sender = "alice"

// ErrLocalOnly means that a demonstration would be reachable from other machines.
var ErrLocalOnly = errors.New("--demo is for this machine only: its passwords are known to all. " +
	"Give --addr a loopback address such as 127.0.0.1:8080, and no other --public-url")

// User is a user of the demonstration.
type User struct {
	Name     string   `json:"name"`
	Password string   `json:"password"`
	Roles    []string `json:"roles"`

	audience string
}

// Users returns the users of the demonstration.
func Users() []User {
	return []User{
		{"alice", "alice-demo", []string{notifier.RoleStaff}, "user"},
		{"bob", "bob-demo", []string{}, "user"},
		{"carol", "carol-demo", []string{"picker"}, "user"},
		{"dave", "dave-demo", []string{"picker"}, "user"},
		{"erin", "erin-demo", []string{}, "customer"},
	}
}

// AddUsers adds the missing demo users, and the topics if there were no users. It reports whether
// there were none, in which case the demonstration's notices must still be sent.
func AddUsers(ctx context.Context, db *store.Store, cfg *config.Config) (fresh bool, err error) {
	anybody, err := db.Users(ctx, notifier.UserQuery{Limit: 1})
	if err != nil {
		return false, err
	}
	for _, u := range Users() {
		if _, err = db.UserByName(ctx, u.Name); !errors.Is(err, notifier.ErrNotFound) {
			if err != nil {
				return false, err
			}
			continue
		}
		hash, err := argon2id.CreateHash(u.Password, &argon2id.Params{Memory: 1024, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
		if err != nil {
			return false, fmt.Errorf("hash a demo password: %w", err)
		}
		audience, err := cfg.AudienceOf(u.audience)
		if err != nil {
			audience = cfg.AudienceNumbers()[0] // the operator has renamed the audiences
		}
		_, err = db.CreateUser(ctx, notifier.NewUser{Name: u.Name, PasswordHash: hash, Audience: audience, Roles: u.Roles, Email: u.Name + "@example.com"})
		if err != nil && !errors.Is(err, notifier.ErrConflict) { // another instance was faster
			return false, err
		}
	}
	if len(anybody) > 0 {
		return false, nil
	}
	return true, addTopics(ctx, db)
}

// Refuse returns an error if other machines can reach the server and there are demo users, whose
// passwords are public: ErrLocalOnly with demo, else an error that names users left by an
// earlier demonstration.
func Refuse(ctx context.Context, db *store.Store, cfg *config.Config, demo bool) error {
	if cfg.Local() {
		return nil
	}
	if demo {
		return ErrLocalOnly
	}
	var left []string
	for _, u := range Users() {
		_, hash, err := db.Credentials(ctx, u.Name)
		if err != nil && !errors.Is(err, notifier.ErrNotFound) {
			return err
		}
		if strings.HasPrefix(hash, hashPrefix) {
			left = append(left, u.Name)
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("%s still have the passwords of the demonstration: set new ones by `carillon user passwd`, or use another database, before other machines can reach it",
			strings.Join(left, ", "))
	}
	return nil
}

// types returns the types of the demonstration's notices, with names. Users see the open ones in
// Settings.
func types() []notifier.NoticeType {
	names := func(en, ja, simplified, traditional string) map[string]string {
		return map[string]string{"en": en, "ja": ja, "zh-Hans": simplified, "zh-Hant": traditional}
	}
	return []notifier.NoticeType{
		{Slug: "comment", Names: names("Comments", "コメント", "评论", "評論")},
		{Slug: "invite", Names: names("Invitations", "招待", "邀请", "邀請")},
		{Slug: "like", NoMail: true, Names: names("Likes", "いいね", "点赞", "按讚")},
		{Slug: "mention", Names: names("Mentions", "メンション", "提及", "提及")},
		{Slug: "order.late", Names: names("Late orders", "遅れている注文", "延误的订单", "延誤的訂單")},
		{Slug: "order.sent", Icon: "truck", Names: names("Shipped orders", "発送済みの注文", "已发货的订单", "已出貨的訂單")},
		{Slug: "rep_notice", Icon: "package", Color: "amber", Names: names("Restocking", "補充", "补货", "補貨")},
		{Slug: "report", Open: true, Names: names("Weekly reports", "週報", "周报", "週報")},
		{Slug: "security", NoMute: true, Urgent: true, Names: names("Security", "セキュリティ", "安全", "安全")},
		{Slug: "shift", Open: true, Icon: "calendar", Color: "blue", Names: names("Shifts", "シフト", "排班", "排班")},
		{Slug: "welcome", Names: names("Welcome", "ようこそ", "欢迎", "歡迎")},
	}
}

// Subscriptions returns the subscriptions of the demonstration.
func Subscriptions() []notifier.Subscription {
	return []notifier.Subscription{
		{Topic: notifier.Topic{Type: "shift"}, Subscriber: notifier.Subscriber{Role: "picker"}},
		{Topic: notifier.Topic{Type: "shift", Scope: "harbour"}, Subscriber: notifier.Subscriber{User: "bob"}},
		{Topic: notifier.Topic{Type: "report"}, Subscriber: notifier.Subscriber{User: "alice"}},
		{Topic: notifier.Topic{Type: "report"}, Subscriber: notifier.Subscriber{User: "bob"}},
	}
}

// addTopics adds the types and subscriptions.
func addTopics(ctx context.Context, db *store.Store) error {
	for _, t := range types() {
		if err := db.SaveType(ctx, notifier.Actor{}, t); err != nil {
			return err
		}
	}
	for _, s := range Subscriptions() {
		if _, _, err := db.Subscribe(ctx, notifier.Actor{}, s); err != nil {
			return fmt.Errorf("subscribe to %s: %w", s.Type, err)
		}
	}
	return nil
}
