package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

type subjectInput struct {
	Subject string `path:"subject" doc:"The subject of the notices, such as invoice:42."`
	App     string `query:"app" doc:"The name of an app: its notices, instead of those that belong to the key. Other apps than its own only with the scope admin."`
}

type withdrawnOutput struct {
	Body withdrawn
}

type withdrawn struct {
	Withdrawn int64 `json:"withdrawn" doc:"Number of notices that were retracted."`
}

// withdraw retracts the notices about a subject that the caller's key reaches.
func (s *server) withdraw(ctx context.Context, in *subjectInput) (*withdrawnOutput, error) {
	w, err := s.withdrawal(ctx, in)
	if err != nil {
		return nil, err
	}
	n, err := s.Notices.WithdrawSubject(ctx, s.actor(ctx), w)
	if err != nil {
		return nil, err
	}
	return &withdrawnOutput{withdrawn{n}}, nil
}

// withdrawal selects what a key reaches. The key of an app: the app's notices, and the ones it sent itself before
// apps had keys of their own. Any other key: the notices of the installation sent under its name, or all of them
// with the scope admin. A key with that scope can name any app instead.
func (s *server) withdrawal(ctx context.Context, in *subjectInput) (notifier.Withdrawal, error) {
	key := callerOf(ctx)
	w := notifier.Withdrawal{Subject: in.Subject, App: key.AppID, Sender: senderOf(key)}
	if !validSubject(in.Subject) {
		return w, invalidAt("path.subject", notifier.CodeBadSubject, nil)
	}
	admin := key.Allows(notifier.ScopeAdmin)
	if admin && key.AppID == 0 {
		w.Sender = notifier.Ref{}
	}
	if in.App == "" {
		return w, nil
	}
	app, err := s.Store.AppNamed(ctx, in.App)
	switch missing := errors.Is(err, notifier.ErrNotFound); {
	case err != nil && !missing:
		return w, err
	case !missing && app.ID == key.AppID:
		return w, nil
	case !admin: // it does not learn which apps there are
		return w, newProblem(http.StatusForbidden, "other_app", "The notices of another app can be retracted only by a key with the scope admin.")
	case missing:
		return w, invalidAt("query.app", codeUnknownApp, map[string]any{"Name": excerpt(in.App)})
	}
	return notifier.Withdrawal{Subject: in.Subject, App: app.ID}, nil
}

// validSubject reports whether a notice can have this subject.
func validSubject(subject string) bool {
	if subject == "" || len(subject) > notifier.MaxSubject {
		return false
	}
	for i := range len(subject) {
		if subject[i] <= ' ' || subject[i] > '~' {
			return false
		}
	}
	return true
}
