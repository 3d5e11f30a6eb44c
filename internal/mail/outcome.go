package mail

import (
	"errors"
	"net/textproto"
	"regexp"
	"strings"
)

// Verdict is the result of sending a mail.
type Verdict int

// The verdicts.
const (
	Sent       Verdict = iota // the server accepted it
	NoMailbox                 // permanent: the address does not exist
	Refused                   // permanent, but not because of the address
	Later                     // retry later: a temporary fault of the mailbox
	Delayed                   // retry later: a temporary fault of the mailbox or the server
	ServerAway                // the server accepts no mails from us: no evidence about the address
)

// Outcome is a verdict with the server's response.
type Outcome struct {
	Verdict Verdict
	Code    int    // of the response; 0: none
	Text    string // the response or the fault, in one line of at most 300 bytes
}

// maxAnswer is the maximum length of an outcome's text.
const maxAnswer = 300

// step is a step of sending a mail.
type step int

const (
	atMail step = iota
	atRcpt
	atData // DATA, the mail, and the response to it
)

// The enhanced status codes (RFC 3463) about the mailbox. mailboxGone excludes the codes for the sender
// (5.1.7, 5.1.8), routes (5.4.x) and policy (5.7.x), and 5.1.0, which servers use for anything.
var (
	status        = regexp.MustCompile(`\A([245]\.\d{1,3}\.\d{1,3})(?:\D|\z)`)
	mailboxGone   = regexp.MustCompile(`\A5\.1\.(1|2|3|4|6|10)\z`)
	mailboxPasses = regexp.MustCompile(`\A([45]\.2\.2|4\.[12]\.\d{1,3}|5\.2\.12[12])\z`) // full, flooded, or lookup temporarily impossible
)

// Words that distinguish the uses of ambiguous codes: 5.2.1 for a disabled mailbox, a flooded one and a mail
// stopped by a filter, 4.2.1 and 5.2.2 for limits of the sender, and 552 for a mail that is too large.
var (
	disabled = regexp.MustCompile(`(?i)\b(disabled|inactive)\b`)
	flooded  = regexp.MustCompile(`(?i)\breceiving mail\b`)
	ourLimit = regexp.MustCompile(`(?i)\b(relay limit|submission quota)\b`)
	tooLarge = regexp.MustCompile(`(?i)\bmessage size\b`)
)

// judge interprets an error at a step. The class of the code determines whether to retry, the enhanced code
// determines the subject, and words distinguish the uses of ambiguous codes. A permanent code without an
// enhanced one does not concern the mailbox: see mailtest.Answers for responses of real servers.
func judge(at step, err error) Outcome {
	var reply *textproto.Error
	if !errors.As(err, &reply) {
		return Outcome{Verdict: Delayed, Text: answerText(err.Error())}
	}
	out := Outcome{Verdict: Refused, Code: reply.Code, Text: answerText(reply.Msg)}
	code := ""
	if found := status.FindStringSubmatch(reply.Msg); found != nil {
		code = found[1]
	}
	words := strings.ReplaceAll(reply.Msg, "\n"+code+" ", " ") // each line begins with the code
	unnamed := reply.Code == 552 && code == ""
	large := code == "5.3.4" || unnamed && tooLarge.MatchString(words)
	gone := mailboxGone.MatchString(code) || code == "5.2.1" && disabled.MatchString(words)
	passes := mailboxPasses.MatchString(code) && !ourLimit.MatchString(words) || code == "5.2.1" && flooded.MatchString(words)
	switch {
	case large:
	case at == atMail:
		out.Verdict = ServerAway // it does not accept us as a sender, for any recipient
	case passes, unnamed, reply.Code == 552 && gone: // 552 is a full mailbox, also as 552 5.1.1
		out.Verdict = Later
	case reply.Code < 500:
		out.Verdict = Delayed
	case gone:
		out.Verdict = NoMailbox
	}
	return out
}

// answerText returns a text of the server in one limited line.
func answerText(text string) string {
	text = strings.ToValidUTF8(strings.Join(strings.Fields(oneLine(text)), " "), "")
	if len(text) > maxAnswer {
		text = strings.ToValidUTF8(text[:maxAnswer-3], "") + "…"
	}
	return text
}
