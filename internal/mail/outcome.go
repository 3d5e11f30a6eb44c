package mail

import (
	"errors"
	"net/textproto"
	"regexp"
	"strings"
)

// Verdict says how a letter fared.
type Verdict int

// The verdicts.
const (
	Sent       Verdict = iota // the server has it
	NoMailbox                 // for good: the address does not exist
	Refused                   // for good, but not because of the address
	Later                     // again, in a while: a passing fault of the mailbox
	Delayed                   // again, in a while: a passing fault, of the mailbox or the server
	ServerAway                // the server takes no letters from us: this says nothing about the address
)

// Outcome is a verdict, and the server's answer.
type Outcome struct {
	Verdict Verdict
	Code    int    // of the answer; 0: there was none
	Text    string // the answer, or the fault, in one line of at most 300 bytes
}

// maxAnswer bounds the text of an outcome.
const maxAnswer = 300

// step is a part of handing over a letter.
type step int

const (
	atMail step = iota
	atRcpt
	atData // DATA, the letter, and the answer to it
)

// The enhanced status codes (RFC 3463) that speak of the mailbox. mailboxGone leaves out the codes of the sender
// (5.1.7, 5.1.8), of routes (5.4.x) and of policy (5.7.x), and 5.1.0, which servers use for anything.
var (
	status        = regexp.MustCompile(`\A([245]\.\d{1,3}\.\d{1,3})(?:\D|\z)`)
	mailboxGone   = regexp.MustCompile(`\A5\.1\.(1|2|3|4|6|10)\z`)
	mailboxPasses = regexp.MustCompile(`\A([45]\.2\.2|4\.[12]\.\d{1,3}|5\.2\.12[12])\z`) // full, flooded, or it cannot be looked up now
)

// The words that decide where servers use one code for several things: 5.2.1 for a disabled mailbox, a flooded one and
// a letter that a filter has stopped, 4.2.1 and 5.2.2 for limits of the sender, and 552 for a letter that is too large.
var (
	disabled = regexp.MustCompile(`(?i)\b(disabled|inactive)\b`)
	flooded  = regexp.MustCompile(`(?i)\breceiving mail\b`)
	ourLimit = regexp.MustCompile(`(?i)\b(relay limit|submission quota)\b`)
	tooLarge = regexp.MustCompile(`(?i)\bmessage size\b`)
)

// judge returns the meaning of an error at a step. The class of the code counts, the enhanced code names its subject,
// and the words decide where servers use one code for several things. A permanent code without an enhanced one does not
// concern the mailbox: see mailtest.Answers for the answers of real servers.
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
		out.Verdict = ServerAway // it does not accept us as a sender, whoever the recipient is
	case passes, unnamed, reply.Code == 552 && gone: // 552 is a full mailbox, also as 552 5.1.1
		out.Verdict = Later
	case reply.Code < 500:
		out.Verdict = Delayed
	case gone:
		out.Verdict = NoMailbox
	}
	return out
}

// answerText returns a text of the server in one bounded line.
func answerText(text string) string {
	text = strings.ToValidUTF8(strings.Join(strings.Fields(oneLine(text)), " "), "")
	if len(text) > maxAnswer {
		text = strings.ToValidUTF8(text[:maxAnswer-3], "") + "…"
	}
	return text
}
