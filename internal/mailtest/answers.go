package mailtest

import (
	"fmt"
	"strings"

	"github.com/emersion/go-smtp"
)

// Step is the step of sending a mail to which a response belongs.
type Step string

// The steps.
const (
	AtMail Step = "MAIL"
	AtRcpt Step = "RCPT"
	AtData Step = "DATA" // after the letter
)

// Means is the meaning of a response according to RFC 3463 and the server's own documents.
type Means string

// Meanings of responses.
const (
	NoMailbox  Means = "nobody is at the address"
	Mailbox    Means = "the mailbox takes nothing for a while"
	Unclear    Means = "refused for good, for a reason that is not the mailbox's"
	Delayed    Means = "not now, for a reason that is not the mailbox's"
	OwnAccount Means = "the server takes nothing from us"
)

// RealAnswer is a response of a real server with its public source. If the source has no step, it is the first one at
// which the server can send this response.
type RealAnswer struct {
	Server   string
	Step     Step
	Code     int
	Enhanced [3]int // all 0: none
	Text     string
	Means    Means
	Source   string
}

// Error returns the response in the form that Options accept. Each line begins with the enhanced code (RFC 2034).
func (a RealAnswer) Error() error {
	enhanced, text := smtp.EnhancedCode(a.Enhanced), a.Text
	if a.Enhanced == [3]int{} {
		enhanced = smtp.NoEnhancedCode
	} else if last := strings.LastIndexByte(text, '\n'); last >= 0 { // the server writes it on the last line only
		code := fmt.Sprintf("%d.%d.%d ", enhanced[0], enhanced[1], enhanced[2])
		text = code + strings.ReplaceAll(text[:last], "\n", "\n"+code) + text[last:]
	}
	return &smtp.SMTPError{Code: a.Code, EnhancedCode: enhanced, Message: text}
}

const (
	postfixCheck  = "https://github.com/vdukhovni/postfix/blob/17830e5c/postfix/src/smtpd/smtpd_check.c"
	postfixServer = "https://github.com/vdukhovni/postfix/blob/17830e5c/postfix/src/smtpd/smtpd.c"
	exim          = "https://github.com/Exim/exim/blob/13835a3c/src/src/"
	exchange      = "https://learn.microsoft.com/exchange/troubleshoot/email-delivery/ndr/non-delivery-reports-in-exchange-online"
	throttled     = "https://learn.microsoft.com/exchange/mail-flow-best-practices/continuous-error-throttling-smtp-auth-submissions"
	gmail         = "https://support.google.com/a/answer/3726730"
	amazon        = "https://docs.aws.amazon.com/ses/latest/dg/smtp-response-codes.html"
	registry      = "https://www.iana.org/assignments/smtp-enhanced-status-codes/smtp-enhanced-status-codes.xhtml"
	rfc5321       = "https://www.rfc-editor.org/rfc/rfc5321#section-4.2.3"
	bounces       = "https://github.com/sisimai/p5-sisimai/blob/21cfb932/" // observed bounces, by provider
	bouncesGoogle = bounces + "lib/Sisimai/Rhost/Google.pm"
	bouncesOffice = bounces + "lib/Sisimai/Rhost/Microsoft.pm"
)

// Answers returns responses of real servers.
func Answers() []RealAnswer {
	return []RealAnswer{
		{"Postfix", AtRcpt, 550, [3]int{5, 1, 1}, "<bob@example.com>: Recipient address rejected: User unknown in local recipient table", NoMailbox, postfixCheck},
		{"Postfix, unknown_local_recipient_reject_code", AtRcpt, 450, [3]int{4, 1, 1}, "<bob@example.com>: Recipient address rejected: User unknown in local recipient table", Mailbox, postfixCheck},
		{"Postfix", AtRcpt, 450, [3]int{4, 1, 1}, "<bob@example.com>: Recipient address rejected: unverified address: Address verification in progress", Mailbox, postfixCheck},
		{"Postfix", AtRcpt, 450, [3]int{4, 1, 2}, "<bob@example.invalid>: Recipient address rejected: Domain not found", Mailbox, postfixCheck},
		{"Postfix, unknown_address_reject_code", AtRcpt, 550, [3]int{5, 1, 2}, "<bob@example.invalid>: Recipient address rejected: Domain not found", NoMailbox, postfixCheck},
		{"Postfix", AtRcpt, 556, [3]int{5, 1, 10}, "<bob@example.com>: Recipient address rejected: Domain example.com does not accept mail (nullMX)", NoMailbox, postfixCheck},
		{"Postfix", AtRcpt, 550, [3]int{5, 7, 27}, "<shop@example.com>: Sender address rejected: Domain example.com does not accept mail (nullMX)", Unclear, postfixCheck},
		{"Postfix", AtRcpt, 554, [3]int{5, 7, 1}, "<bob@example.com>: Relay access denied", Unclear, postfixCheck},
		{"Postfix, defer_unauth_destination", AtRcpt, 454, [3]int{4, 7, 1}, "<bob@example.com>: Relay access denied", Delayed, postfixCheck},
		{"Postfix", AtRcpt, 553, [3]int{5, 7, 1}, "<shop@example.com>: Sender address rejected: not logged in", Unclear, postfixCheck},
		{"Postfix, unknown_address_reject_code", AtRcpt, 550, [3]int{5, 1, 8}, "<shop@example.invalid>: Sender address rejected: Domain not found", Unclear, postfixCheck},
		{"Postfix, unverified_sender_reject_code", AtRcpt, 550, [3]int{5, 1, 7}, "<shop@example.com>: Sender address rejected: undeliverable address: User unknown", Unclear, postfixCheck},
		{"Postfix", AtRcpt, 504, [3]int{5, 5, 2}, "<shop>: Sender address rejected: need fully-qualified address", Unclear, postfixCheck},
		{"Postfix", AtRcpt, 554, [3]int{5, 7, 1}, "Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org", Unclear, "https://www.postfix.org/postconf.5.html#default_rbl_reply"},
		{"Postfix", AtRcpt, 451, [3]int{4, 3, 0}, "<bob@example.com>: Temporary lookup failure", Delayed, postfixCheck},
		{"Postfix", AtMail, 530, [3]int{5, 7, 0}, "Must issue a STARTTLS command first", OwnAccount, postfixServer},
		{"Postfix", AtMail, 501, [3]int{5, 1, 7}, "Bad sender address syntax", OwnAccount, postfixServer},
		{"Postfix", AtMail, 452, [3]int{4, 3, 1}, "Insufficient system storage", OwnAccount, postfixCheck},
		{"Postfix", AtMail, 552, [3]int{5, 3, 4}, "Message size exceeds fixed limit", Unclear, postfixCheck},
		{"Postgrey", AtRcpt, 450, [3]int{4, 2, 0}, "<bob@example.com>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/example.com.html", Mailbox, "https://github.com/schweikert/postgrey/issues/84"},
		{"Exim", AtRcpt, 550, [3]int{}, "relay not permitted", Unclear, exim + "configure.default"},
		{"Exim", AtRcpt, 550, [3]int{}, "Unrouteable address", Unclear, exim + "route.c"},
		{"Exim", AtMail, 552, [3]int{}, "Message size exceeds maximum permitted", Unclear, exim + "smtp_in.c"},
		{"Exim", AtData, 552, [3]int{}, "Message size exceeds maximum permitted", Unclear, exim + "receive.c"},
		{"Exchange Online", AtRcpt, 550, [3]int{5, 1, 10}, "RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup", NoMailbox, bounces + "set-of-emails/maildir/bsd/rhost-microsoft-03.eml"},
		{"Exchange Online", AtRcpt, 550, [3]int{5, 4, 1}, "Recipient address rejected: Access denied", Unclear, exchange},
		{"Exchange Online", AtMail, 530, [3]int{5, 7, 57}, "SMTP; Client was not authenticated to send anonymous mail during MAIL FROM", OwnAccount, "https://www.easy365manager.com/office-365-ndr-error-codes/"},
		{"Exchange Online", AtData, 550, [3]int{5, 7, 60}, "SMTP; Client does not have permissions to send as this sender", Unclear, "https://learn.microsoft.com/dynamics365/fin-ops-core/dev-itpro/office-integration/office-integration-troubleshooting"},
		{"Exchange Online", AtData, 550, [3]int{5, 2, 252}, "Sender throttled due to continuous send as denied errors.", Unclear, throttled},
		{"Exchange Online", AtData, 550, [3]int{5, 1, 90}, "Your message can't be sent because you've reached your daily limit for message recipients", Unclear, exchange},
		{"Exchange Online", AtData, 550, [3]int{5, 2, 2}, "Submission quota exceeded", Unclear, exchange},
		{"Exchange Online", AtData, 550, [3]int{5, 2, 121}, "Recipient's per hour message receive limit from specific sender exceeded", Mailbox, exchange},
		{"Exchange Online", AtData, 550, [3]int{5, 2, 122}, "Recipient's per hour message receive limit exceeded", Mailbox, exchange},
		{"Exchange", AtData, 550, [3]int{5, 2, 1}, "Content Filter agent quarantined this message", Unclear, bouncesOffice},
		{"Exchange Online", AtData, 432, [3]int{4, 3, 2}, "STOREDRV.Deliver; recipient thread limit exceeded", Delayed, exchange},
		{"Exchange Online", AtRcpt, 550, [3]int{5, 7, 606}, "Access denied, banned sending IP [192.0.2.1]", Unclear, exchange},
		{"Outlook.com", AtRcpt, 451, [3]int{4, 7, 500}, "Server busy. Please try again later from [192.0.2.1]. (AS761)", Delayed, bouncesOffice},
		{"Outlook.com", AtRcpt, 550, [3]int{5, 5, 0}, "Requested action not taken: mailbox unavailable", Unclear, exchange},
		{"Outlook.com", AtMail, 550, [3]int{5, 7, 1}, "Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).", OwnAccount, "https://sevencreative.co.uk/how-to-remove-yourself-from-the-hotmail-block-list/"},
		{"Gmail", AtRcpt, 550, [3]int{5, 1, 1}, "The email account that you tried to reach does not exist", NoMailbox, gmail},
		{"Gmail", AtRcpt, 550, [3]int{5, 2, 1}, "The email account that you tried to reach is inactive", NoMailbox, bouncesGoogle},
		{"Gmail", AtRcpt, 550, [3]int{5, 2, 1}, "The user you are trying to contact is receiving mail at a rate that\nprevents additional messages from being delivered. For more\ninformation, please visit", Mailbox, bounces + "set-of-emails/maildir/bsd/lhost-postfix-59.eml"},
		{"Gmail", AtRcpt, 450, [3]int{4, 2, 1}, "The user you are trying to contact is receiving mail too quickly", Mailbox, gmail},
		{"Gmail, as a relay", AtRcpt, 450, [3]int{4, 2, 1}, "Peak SMTP relay\nlimit exceeded for customer. This is a temporary error", Delayed, bouncesGoogle},
		{"Gmail, as a relay", AtData, 550, [3]int{5, 4, 5}, "Daily SMTP relay limit exceeded for user", Unclear, bouncesGoogle},
		{"Gmail", AtRcpt, 452, [3]int{4, 2, 2}, "The recipient's inbox is out of storage space", Mailbox, bouncesGoogle},
		{"Gmail", AtRcpt, 552, [3]int{5, 2, 2}, "The recipient's inbox is out of storage space and inactive", Mailbox, bouncesGoogle},
		{"Gmail", AtRcpt, 553, [3]int{5, 1, 3}, "The recipient address <bob@example.com> is not a valid RFC 5321 address", NoMailbox, bouncesGoogle},
		{"Gmail", AtData, 421, [3]int{4, 7, 0}, "Our system has detected an unusual rate of unsolicited mail originating from your IP address", Delayed, gmail},
		{"Gmail", AtData, 550, [3]int{5, 7, 26}, "Unauthenticated email from example.com is not accepted due to domain's DMARC policy", Unclear, bouncesGoogle},
		{"Gmail", AtData, 552, [3]int{5, 7, 0}, "This message was blocked because its content presents a potential security issue", Unclear, bouncesGoogle},
		{"Gmail", AtMail, 530, [3]int{5, 7, 0}, "Authentication Required", OwnAccount, bouncesGoogle},
		{"Yahoo", AtMail, 421, [3]int{4, 7, 0}, "[TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1", OwnAccount, bounces + "lib/Sisimai/Rhost/YahooInc.pm"},
		{"Yahoo", AtData, 554, [3]int{}, "delivery error: dd This user doesn't have a yahoo.com account (bob@example.com)", Unclear, bounces + "lib/Sisimai/Rhost/YahooInc.pm"},
		{"iCloud", AtRcpt, 421, [3]int{4, 7, 1}, "Messages to bob@example.com deferred due to excessive volume. Try again later", Delayed, "https://smtp.codes/icloud"},
		{"Orange", AtRcpt, 552, [3]int{5, 1, 1}, "Boite du destinataire pleine. Recipient overquota. OFR_417 [417]", Mailbox, bounces + "lib/Sisimai/Rhost/FrancePTT.pm"},
		{"Amazon SES", AtData, 554, [3]int{}, "Message rejected: Email address is not verified. The following identities failed the check in region EU-WEST-1: shop@example.com", Unclear, amazon},
		{"Amazon SES", AtData, 454, [3]int{}, "Throttling failure: Maximum sending rate exceeded", Delayed, amazon},
		{"Amazon SES", AtData, 454, [3]int{}, "Throttling failure: Daily message quota exceeded", Delayed, amazon},
		{"SendGrid", AtData, 550, [3]int{}, "The from address does not match a verified Sender Identity. Mail cannot be sent until this error is resolved.", Unclear, "https://github.com/LandOfTheRair/LandOfTheRair/issues/308"},
		{"SendGrid", AtRcpt, 452, [3]int{}, "Too many recipients received this hour (throttled)", Delayed, "https://sendgrid.com/docs/for-developers/sending-email/smtp-errors-and-troubleshooting/"},
		{"SMTP2GO", AtData, 550, [3]int{}, "From header sender domain not verified", Unclear, "https://support.smtp2go.com/hc/en-gb/articles/13990494697369-Common-Sending-Errors"},
		{"RFC 5321", AtRcpt, 550, [3]int{}, "Requested action not taken: mailbox unavailable", Unclear, rfc5321},
		{"RFC 5321", AtRcpt, 552, [3]int{}, "Requested mail action aborted: exceeded storage allocation", Mailbox, rfc5321},
		{"RFC 5321 and RFC 3463", AtRcpt, 501, [3]int{5, 5, 4}, "Syntax error in parameters or arguments", Unclear, rfc5321},
		{"RFC 3463", AtRcpt, 550, [3]int{5, 1, 6}, "Destination mailbox has moved, No forwarding address", NoMailbox, registry},
		{"RFC 3463", AtRcpt, 550, [3]int{5, 1, 0}, "Other address status", Unclear, registry},
	}
}
