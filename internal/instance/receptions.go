package instance

import "github.com/carillonhq/carillon/notifier/reception"

// receptions finds out who gets notices, and why.
func (i *instance) receptions() *reception.Receptions {
	return reception.New(reception.Config{
		Store: i.db, Read: i.inbox.Read, Rehearse: i.notices.Rehearse, Types: i.topics,
		Mailing: i.mailer != nil || i.outbox != nil, Pushing: i.devices != nil,
	})
}
