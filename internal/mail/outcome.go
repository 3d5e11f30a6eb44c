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
	Dead                      // the address does not exist
	Refused                   // the server will never take this letter; others to the same address it may
	Later                     // again, in a while
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

// addressFault matches the answers that mean that an address is wrong. 5.1.7 and 5.1.8 mean that of the sender.
var addressFault = regexp.MustCompile(`\A5\.1\.\d{1,3}\b`)

// judge says what an error at a step means.
func judge(at step, err error) Outcome {
	var reply *textproto.Error
	if !errors.As(err, &reply) {
		return Outcome{Verdict: Later, Text: answerText(err.Error())}
	}
	out := Outcome{Verdict: Refused, Code: reply.Code, Text: answerText(reply.Msg)}
	status := addressFault.FindString(reply.Msg)
	switch {
	case reply.Code < 500:
		out.Verdict = Later
	case at == atMail, reply.Code == 530, reply.Code == 535, status == "5.1.7", status == "5.1.8":
		out.Verdict = ServerAway // it does not accept us as a sender
	case at == atRcpt && status != "":
		out.Verdict = Dead
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
