package notifier

import (
	"maps"
	"slices"
	"time"
)

// Topic is what users and roles subscribe to: a type of notice and a scope, such
// as a warehouse. The empty scope is a scope as any other: it does not stand for
// all of them.
type Topic struct {
	Type  string `json:"type"`
	Scope string `json:"scope"`
}

// check names the faults of a topic's type and scope.
func (t Topic) check(bad *InvalidError) {
	switch {
	case t.Type == "":
		bad.Add("type", CodeRequired, nil)
	case !ValidType(t.Type):
		bad.Add("type", CodeBadType, nil)
	}
	if !scopePattern.MatchString(t.Scope) {
		bad.Add("scope", CodeBadScope, nil)
	}
}

// checkTarget names what is wrong about the topic that a notice goes to.
func (t Topic) checkTarget(bad *InvalidError) {
	if !ValidType(t.Type) || !scopePattern.MatchString(t.Scope) {
		bad.Add("to", CodeBadTopic, nil)
	}
}

// NoticeType is a type of notice that is known: its first use makes it, and staff
// may say more about it.
type NoticeType struct {
	Slug      string
	Names     map[string]string // by language (en, ja, zh-Hans); none: the slug is shown
	ExpiresIn time.Duration     // how long its notices live that say nothing about it; 0: as long as any
	NoMute    bool              // users cannot mute it
	Open      bool              // users may subscribe to it themselves
	CreatedAt time.Time
}

// MaxTypeName is how many characters the name of a type may have in a language.
const MaxTypeName = 80

// Validate names every fault of the type. The longest life is keep.
func (t *NoticeType) Validate(keep time.Duration) error {
	var bad InvalidError
	switch {
	case t.Slug == "":
		bad.Add("slug", CodeRequired, nil)
	case !ValidType(t.Slug):
		bad.Add("slug", CodeBadType, nil)
	}
	for _, lang := range slices.Sorted(maps.Keys(t.Names)) {
		checkText("names."+lang, t.Names[lang], MaxTypeName, "", &bad)
	}
	if keep <= 0 {
		keep = DefaultKeep
	}
	switch {
	case t.ExpiresIn < 0:
		bad.Add("expires_in", CodeExpiresPast, nil)
	case t.ExpiresIn > keep:
		bad.Add("expires_in", CodeExpiresLate, lateParams(keep))
	}
	return bad.OrNil()
}

// Subscriber is who subscribes: a user or a role, by name. One of them is set.
type Subscriber struct {
	User string
	Role string
}

// Subscription is a topic and one who subscribes to it.
type Subscription struct {
	ID int64 // set by the store; later ones have higher ids
	Topic
	Subscriber
	CreatedAt time.Time
}

// Validate names every fault of a subscription, in the order of the form. Whether
// user and role exist is for the store to say.
func (s *Subscription) Validate() error {
	var bad InvalidError
	s.Topic.check(&bad)
	switch {
	case s.User != "" && s.Role != "":
		bad.Add("user", CodeOneSubscriber, nil)
	case s.User == "" && s.Role == "":
		bad.Add("user", CodeRequired, nil)
	case s.User != "" && !ValidName(s.User):
		bad.Add("user", CodeBadName, map[string]any{"Name": excerpt(s.User)})
	case s.Role != "" && !ValidName(s.Role):
		bad.Add("role", CodeBadName, map[string]any{"Name": excerpt(s.Role)})
	}
	return bad.OrNil()
}

// SubscriptionQuery says which subscriptions to list: the latest first.
type SubscriptionQuery struct {
	Type     string // empty: all
	Scope    string // of that type; looked at only with ByScope
	ByScope  bool
	User     string // only this user's own; empty: all
	Role     string // only this role's; empty: all
	Contains string // only those with this in type, scope or name, whatever the case; empty: all
	Before   int64  // only those with a lower id; 0: all
	Limit    int    // 0: a page of 50
}

// MaxSubscriptions is how many topics one user can subscribe to by himself.
const MaxSubscriptions = 200

// TopicSubscribers is who subscribes to a topic: users by seq, roles by name.
type TopicSubscribers struct {
	Topic
	Users []int64
	Roles []string // sorted
}
