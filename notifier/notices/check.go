package notices

import (
	"context"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// check validates a draft with valid, one of the draft's methods. A draft of an app may link to the app's pages, and
// a relative link is made absolute, because readers may be on pages of another app. A draft of a person may link to
// the pages of all apps, because *Send again* starts with the link of the notice.
func (p *Notices) check(ctx context.Context, d *notifier.Draft, valid func(notifier.Limits) error) error {
	app, err := p.appOf(ctx, d.App.ID)
	if errors.Is(err, notifier.ErrNotFound) {
		err = fmt.Errorf("the app of the key was revoked: %w", notifier.ErrUnauthenticated)
	}
	if err != nil {
		return err
	}
	if err := valid(p.linking(ctx, d, &app)); err != nil {
		return err
	}
	d.App.Name, d.Link, d.Extras = app.Name, app.Resolve(d.Link), d.Extras.WithLinks(app.Resolve)
	return nil
}

// checkEdit checks a draft as the new content of a notice. An unchanged link or extra is not checked: it was valid when
// it was accepted.
func (p *Notices) checkEdit(ctx context.Context, n *notifier.Notice, d *notifier.Draft) error {
	app, err := p.appOf(ctx, n.App.ID)
	if err != nil && !errors.Is(err, notifier.ErrNotFound) { // the app may have been revoked since
		return err
	}
	limits := p.linking(ctx, &n.Draft, &app)
	d.App = n.App
	if d.Link == n.Link {
		d.Link = ""
		defer func() { d.Link = n.Link }()
	}
	d.Normalise()
	extras := d.Extras
	d.Extras = extras.Changed(&n.Extras)
	err = d.Validate(limits)
	d.Link, d.Extras = app.Resolve(d.Link), extras.WithLinks(app.Resolve)
	return err
}

// linking returns the limits of a draft of app, which is zero if no app sends the draft or the app was revoked.
func (p *Notices) linking(ctx context.Context, d *notifier.Draft, app *notifier.App) notifier.Limits {
	limits, _ := p.limits()
	limits.Sites = app.Sites()
	if d.App.ID == 0 && d.Sender.Kind == notifier.KindUser && p.c.Sites != nil {
		limits.Sites = p.c.Sites(ctx)
	}
	return limits
}

// appOf returns the app with this id, or notifier.ErrNotFound. For id 0 it returns the zero app.
func (p *Notices) appOf(ctx context.Context, id int64) (app notifier.App, err error) {
	if id != 0 && p.c.App != nil {
		app, err = p.c.App(ctx, id)
	}
	return app, err
}
