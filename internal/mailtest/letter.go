package mailtest

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
)

// Letter is a mail as received by the server.
type Letter struct {
	From, To   string // of the envelope
	Header     mail.Header
	Subject    string // decoded
	Text, HTML string // decoded
	Raw        string
}

func parse(raw []byte) (Letter, error) {
	m, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return Letter{}, fmt.Errorf("read a letter: %w", err)
	}
	l := Letter{Header: m.Header, Raw: string(raw)}
	if l.Subject, err = new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil {
		return l, fmt.Errorf("decode the subject: %w", err)
	}
	_, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		return l, fmt.Errorf("read the type of a letter: %w", err)
	}
	parts := multipart.NewReader(m.Body, parameters["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return l, nil
		}
		if err != nil {
			return l, fmt.Errorf("read a part: %w", err)
		}
		text, err := decoded(part.Header.Get("Content-Transfer-Encoding"), part)
		if err != nil {
			return l, fmt.Errorf("decode a part: %w", err)
		}
		switch kind, _, _ := mime.ParseMediaType(part.Header.Get("Content-Type")); kind {
		case "text/plain":
			l.Text = text
		case "text/html":
			l.HTML = text
		}
	}
}

func decoded(encoding string, r io.Reader) (string, error) {
	switch encoding {
	case "base64":
		r = base64.NewDecoder(base64.StdEncoding, r)
	case "quoted-printable":
		r = quotedprintable.NewReader(r)
	}
	text, err := io.ReadAll(r)
	return strings.ReplaceAll(string(text), "\r\n", "\n"), err
}
