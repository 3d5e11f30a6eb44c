package delivery

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// The fields of an entry in the stream. Zero values are left out.
const (
	fieldNotice  = "notice"
	fieldFrom    = "from"
	fieldTo      = "to"
	fieldAgain   = "again"
	fieldHad     = "had"
	fieldRetract = "retract"

	fieldRevision = "rev"
	fieldTrace    = "trace" // a traceparent

	fieldContent = "content" // its presence marks a complete small notice
	fieldKey     = "key"
	fieldExpires = "expires" // ms
	fieldCounted = "counted"
	fieldToast   = "toast"
	fieldSeqs    = "seqs" // separated by commas
)

const yes = "1"

// errEntry reports an entry that this version cannot read.
var errEntry = errors.New("unreadable entry")

// encode returns an entry as a flat list of fields and values.
func encode(e Entry) []string {
	fields := make([]string, 0, 16)
	number := func(name string, value int64) {
		if value > 0 {
			fields = append(fields, name, strconv.FormatInt(value, 10))
		}
	}
	flag := func(name string, value bool) {
		if value {
			fields = append(fields, name, yes)
		}
	}
	f := e.Fields()
	fields = append(fields, fieldNotice, strconv.FormatInt(f.Notice, 10))
	number(fieldFrom, f.From)
	number(fieldTo, f.To)
	flag(fieldAgain, f.Again)
	flag(fieldHad, f.Had)
	flag(fieldRetract, f.Retract)
	number(fieldRevision, f.Revision)
	if e.Trace != "" {
		fields = append(fields, fieldTrace, e.Trace)
	}
	if e.Kind != Whole {
		return fields
	}
	d := e.Delivery
	fields = append(fields, fieldKey, d.Key)
	number(fieldExpires, d.Expires)
	flag(fieldCounted, d.Counted)
	flag(fieldToast, d.Toast)
	return append(fields, fieldSeqs, joinSeqs(d.Seqs), fieldContent, string(d.Content))
}

// decode reads an entry. It refuses an unknown field: ignoring it would lose part of the meaning
// that a newer version gave the entry.
func decode(id string, fields map[string]any) (Entry, error) {
	var f Fields
	var d notifier.Delivery
	var trace string
	var err error
	ofDelivery := 0
	for name, value := range fields {
		text, ok := value.(string)
		if !ok {
			return Entry{ID: id}, fmt.Errorf("%w: %s is not a string", errEntry, name)
		}
		switch name {
		case fieldNotice:
			f.Notice, err = parseNumber(text)
		case fieldFrom:
			f.From, err = parseNumber(text)
		case fieldTo:
			f.To, err = parseNumber(text)
		case fieldAgain:
			f.Again, err = parseFlag(text)
		case fieldHad:
			f.Had, err = parseFlag(text)
		case fieldRetract:
			f.Retract, err = parseFlag(text)
		case fieldRevision:
			f.Revision, err = parseNumber(text)
		case fieldTrace:
			trace = text
		default:
			ofDelivery++
			err = decodeDelivery(&d, name, text)
		}
		if err != nil {
			return Entry{ID: id}, fmt.Errorf("%w: %s: %w", errEntry, name, err)
		}
	}
	if _, ok := fields[fieldNotice]; !ok {
		return Entry{ID: id}, fmt.Errorf("%w: no notice id", errEntry)
	}
	whole := (*notifier.Delivery)(nil)
	if ofDelivery > 0 {
		if d.Key == "" || len(d.Seqs) == 0 || d.Content == nil || f.Notice == 0 || f.Retract {
			return Entry{ID: id}, fmt.Errorf("%w: incomplete notice", errEntry)
		}
		d.NoticeID, d.Revision = f.Notice, f.Revision
		whole = &d
	}
	e := f.Entry(whole)
	e.ID, e.Trace = id, trace
	return e, nil
}

func decodeDelivery(d *notifier.Delivery, name, text string) (err error) {
	switch name {
	case fieldKey:
		d.Key = text
	case fieldExpires:
		d.Expires, err = parseNumber(text)
	case fieldCounted:
		d.Counted, err = parseFlag(text)
	case fieldToast:
		d.Toast, err = parseFlag(text)
	case fieldSeqs:
		d.Seqs, err = splitSeqs(text)
	case fieldContent:
		d.Content = []byte(text)
	default:
		err = errors.New("unknown field")
	}
	return err
}

// parseNumber reads a non-negative decimal number.
func parseNumber(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, err
	}
	if n < 0 {
		return 0, errors.New("negative")
	}
	return n, nil
}

func parseFlag(text string) (bool, error) {
	if text != yes {
		return false, errors.New("must be 1 or absent")
	}
	return true, nil
}

func joinSeqs(seqs []int64) string {
	b := make([]byte, 0, 8*len(seqs))
	for i, seq := range seqs {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, seq, 10)
	}
	return string(b)
}

func splitSeqs(text string) ([]int64, error) {
	seqs := make([]int64, 0, strings.Count(text, ",")+1)
	for part := range strings.SplitSeq(text, ",") {
		seq, err := parseNumber(part)
		if err != nil {
			return nil, err
		}
		seqs = append(seqs, seq)
	}
	return seqs, nil
}
