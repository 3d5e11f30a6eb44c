package views

import "github.com/carillonhq/carillon/views/components"

// Mails is the page of the mails that a demo would have sent.
type Mails struct {
	Frame
	Columns []components.Column
	Rows    []MailRow
	Empty   components.Empty
}

// MailRow is one mail.
type MailRow struct {
	Href, Subject, To string
	Sent              Dated
}

// Mail is the page of one mail.
type Mail struct {
	Frame
	Back   string
	Header []MailField
	HTML   string // the address of the frame's content
	Plain  string
}

// MailField is a line of a mail's header.
type MailField struct{ Name, Value string }
