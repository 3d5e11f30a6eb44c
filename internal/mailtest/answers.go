package mailtest

import "github.com/emersion/go-smtp"

// Step is the part of handing over a letter that an answer belongs to.
type Step string

// The steps.
const (
	AtMail Step = "MAIL"
	AtRcpt Step = "RCPT"
	AtData Step = "DATA" // after the letter
)

// Means says what an answer is about, as RFC 3463 and the server's own documents have it.
type Means string

// What answers mean.
const (
	NoMailbox  Means = "nobody is at the address"
	Mailbox    Means = "the mailbox takes nothing for a while"
	Unclear    Means = "refused for good, for a reason that is not the mailbox's"
	Delayed    Means = "not now, for a reason that is not the mailbox's"
	OwnAccount Means = "the server takes nothing from us"
)

// RealAnswer is what a real server answers, and the public page that says so.
type RealAnswer struct {
	Server   string
	Step     Step
	Code     int
	Enhanced [3]int // all 0: there is none
	Text     string
	Means    Means
	Source   string
}

// Error returns the answer in the form that Options take.
func (a RealAnswer) Error() error {
	enhanced := smtp.EnhancedCode(a.Enhanced)
	if a.Enhanced == [3]int{} {
		enhanced = smtp.NoEnhancedCode
	}
	return &smtp.SMTPError{Code: a.Code, EnhancedCode: enhanced, Message: a.Text}
}

const (
	postfixLocal  = "https://www.postfix.org/LOCAL_RECIPIENT_README.html"
	postfixAccess = "https://www.postfix.org/SMTPD_ACCESS_README.html"
	postfixConf   = "https://www.postfix.org/postconf.5.html"
	exchange      = "https://learn.microsoft.com/exchange/troubleshoot/email-delivery/ndr/non-delivery-reports-in-exchange-online"
	gmail         = "https://support.google.com/a/answer/3726730"
	amazon        = "https://docs.aws.amazon.com/ses/latest/dg/troubleshoot-smtp.html"
	registry      = "https://www.iana.org/assignments/smtp-enhanced-status-codes/smtp-enhanced-status-codes.xhtml"
	postgrey      = "https://postgrey.schweikert.ch/"
	exim          = "https://www.exim.org/exim-html-current/doc/html/spec_html/ch-access_control_lists.html"
)

// Answers returns what real servers answer.
func Answers() []RealAnswer {
	return []RealAnswer{
		{"Postfix", AtRcpt, 550, [3]int{5, 1, 1}, "<bob@example.com>: Recipient address rejected: User unknown in local recipient table", NoMailbox, postfixLocal},
		{"Postfix", AtRcpt, 450, [3]int{4, 1, 1}, "<bob@example.com>: Recipient address rejected: User unknown in local recipient table", Mailbox, postfixConf + "#unknown_local_recipient_reject_code"},
		{"Postfix", AtRcpt, 550, [3]int{5, 1, 2}, "<bob@example.invalid>: Recipient address rejected: Domain not found", NoMailbox, postfixConf + "#reject_unknown_recipient_domain"},
		{"Postfix", AtRcpt, 556, [3]int{5, 1, 10}, "<bob@example.com>: Recipient address rejected: Domain example.com does not accept mail (nullMX)", NoMailbox, "https://www.rfc-editor.org/rfc/rfc7505"},
		{"Postfix", AtRcpt, 554, [3]int{5, 7, 1}, "<bob@example.com>: Relay access denied", Unclear, postfixAccess},
		{"Postfix", AtRcpt, 454, [3]int{4, 7, 1}, "<bob@example.com>: Relay access denied", Delayed, postfixConf + "#reject_unauth_destination"},
		{"Postfix", AtRcpt, 553, [3]int{5, 7, 1}, "<shop@example.com>: Sender address rejected: not logged in", Unclear, postfixConf + "#reject_sender_login_mismatch"},
		{"Postfix", AtRcpt, 550, [3]int{5, 1, 8}, "<shop@example.invalid>: Sender address rejected: Domain not found", Unclear, postfixConf + "#reject_unknown_sender_domain"},
		{"Postfix", AtRcpt, 553, [3]int{5, 1, 7}, "<shop>: Sender address rejected", Unclear, registry},
		{"Postfix", AtRcpt, 530, [3]int{5, 7, 0}, "Must issue a STARTTLS command first", Unclear, "https://www.postfix.org/TLS_README.html"},
		{"Postfix", AtRcpt, 451, [3]int{4, 3, 0}, "<bob@example.com>: Temporary lookup failure", Delayed, postfixLocal},
		{"Postfix", AtMail, 452, [3]int{4, 3, 1}, "Insufficient system storage", OwnAccount, postfixConf + "#queue_minfree"},
		{"Postfix", AtMail, 552, [3]int{5, 3, 4}, "Message size exceeds fixed limit", Unclear, postfixConf + "#message_size_limit"},
		{"Postfix", AtData, 554, [3]int{5, 7, 1}, "Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org", Unclear, postfixConf + "#reject_rbl_client"},
		{"Postgrey", AtRcpt, 450, [3]int{4, 2, 0}, "<bob@example.com>: Recipient address rejected: Greylisted", Mailbox, postgrey},
		{"Exim", AtRcpt, 550, [3]int{}, "relay not permitted", Unclear, exim},
		{"Exim", AtRcpt, 550, [3]int{}, "Unrouteable address", Unclear, exim},
		{"Exchange Online", AtRcpt, 550, [3]int{5, 1, 10}, "RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup", NoMailbox, exchange},
		{"Exchange Online", AtRcpt, 550, [3]int{5, 4, 1}, "Recipient address rejected: Access denied", Unclear, exchange},
		{"Exchange Online", AtMail, 530, [3]int{5, 7, 57}, "SMTP; Client was not authenticated to send anonymous mail during MAIL FROM", OwnAccount, exchange},
		{"Exchange Online", AtData, 550, [3]int{5, 7, 60}, "SMTP; Client does not have permissions to send as this sender", Unclear, exchange},
		{"Exchange Online", AtData, 432, [3]int{4, 3, 2}, "STOREDRV.Deliver; recipient thread limit exceeded", Delayed, exchange},
		{"Exchange Online", AtRcpt, 550, [3]int{5, 7, 606}, "Access denied, banned sending IP", Unclear, exchange},
		{"Gmail", AtRcpt, 550, [3]int{5, 1, 1}, "The email account that you tried to reach does not exist", NoMailbox, gmail},
		{"Gmail", AtRcpt, 550, [3]int{5, 2, 1}, "The email account that you tried to reach is inactive", NoMailbox, gmail},
		{"Gmail", AtRcpt, 452, [3]int{4, 2, 2}, "The recipient's inbox is out of storage space", Mailbox, gmail},
		{"Gmail", AtRcpt, 552, [3]int{5, 2, 2}, "The recipient's inbox is out of storage space and inactive", Mailbox, gmail},
		{"Gmail", AtRcpt, 553, [3]int{5, 1, 3}, "The recipient address is not a valid RFC 5321 address", NoMailbox, gmail},
		{"Gmail", AtData, 421, [3]int{4, 7, 0}, "Our system has detected an unusual rate of unsolicited mail", Delayed, gmail},
		{"Gmail", AtData, 550, [3]int{5, 7, 26}, "This mail is unauthenticated, which poses a security risk", Unclear, gmail},
		{"Gmail", AtData, 552, [3]int{5, 7, 0}, "This message was blocked because its content presents a potential security issue", Unclear, gmail},
		{"Gmail", AtMail, 530, [3]int{5, 7, 0}, "Authentication Required", OwnAccount, gmail},
		{"Amazon SES", AtData, 554, [3]int{}, "Message rejected: Email address is not verified. The following identities failed the check", Unclear, amazon},
		{"Amazon SES", AtData, 454, [3]int{}, "Throttling failure: Maximum sending rate exceeded", Delayed, amazon},
		{"Amazon SES", AtRcpt, 535, [3]int{}, "Authentication Credentials Invalid", Unclear, amazon},
		{"RFC 5321", AtRcpt, 550, [3]int{}, "mailbox unavailable", Unclear, "https://www.rfc-editor.org/rfc/rfc5321#section-4.2.3"},
		{"RFC 5321", AtRcpt, 552, [3]int{}, "exceeded storage allocation", Mailbox, "https://www.rfc-editor.org/rfc/rfc5321#section-4.2.3"},
		{"RFC 5321", AtRcpt, 501, [3]int{5, 5, 4}, "Syntax error in parameters or arguments", Unclear, "https://www.rfc-editor.org/rfc/rfc5321#section-4.2.3"},
		{"RFC 3463", AtRcpt, 550, [3]int{5, 1, 6}, "Destination mailbox has moved, no forwarding address", NoMailbox, registry},
		{"RFC 3463", AtRcpt, 550, [3]int{5, 1, 0}, "Address rejected", Unclear, registry},
	}
}
