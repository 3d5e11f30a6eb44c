package views

import (
	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/views/components"
)

// Hooks is the page of webhooks, with the form of a new one.
type Hooks struct {
	Frame
	Faults
	Name, URL string // typed for a new webhook
	Events    []EventChoice
	Columns   []components.Column
	Rows      []HookRow
	Empty     components.Empty
}

// EventChoice is the checkbox for a type of events.
type EventChoice struct {
	Value, Hint string
	Chosen      bool
}

// HookRow is one webhook.
type HookRow struct {
	Name, URL, Href  string
	Events           []string
	State, StateText string
	Waiting          string
}

// Hook is the page of one webhook.
type Hook struct {
	Frame
	HookRow
	ID, Path, Back string   // without an ID, the page shows only Made
	Error          string   // of the last failure; in English, like the log
	Failing        Dated    // the first failure since the last success; without a date: none
	Off            string   // why it is off; empty: it is on
	Old            Dated    // how long the secret before the last rotation is valid; without a date: there is none
	Made           *NewHook // the secret just created; nil: none
	Columns        []components.Column
	Sent           []HookEventRow
	Empty          components.Empty
}

// NewHook is a secret that was just created.
type NewHook struct{ Secret, Text string }

// HookEventRow is one event of a webhook.
type HookEventRow struct {
	N, ID, Type, Body string
	State, StateText  string
	Tries             string
	Answer            string // its status or its error; in English, like the log
	At                Dated  // when it ended, or is tried next
	ReplayNamed       string
}

// events links the checkboxes to their error.
func (p *Hooks) events() templ.Attributes {
	if p.Of["events"] == "" {
		return nil
	}
	return templ.Attributes{"aria-describedby": "events-fault"}
}
