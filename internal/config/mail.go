package config

import "github.com/carillonhq/carillon/internal/mail"

// server parses the address of a mail server. No fault repeats any of it.
func (f *Faults) server(flag, s string) *mail.Server {
	if s == "" {
		return nil
	}
	server, err := mail.ParseServer(s)
	if err != nil {
		f.Add(flag, "%v", err)
	}
	return &server
}

// sender checks the sender of mails.
func (f *Faults) sender(flag, s string) string {
	if s == "" {
		return ""
	}
	if _, _, err := mail.ParseSender(s); err != nil {
		f.Add(flag, "%q is not an address such as notices@example.com or Carillon <notices@example.com>", s)
	}
	return s
}
