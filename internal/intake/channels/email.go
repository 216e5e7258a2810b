package channels

import (
	"context"
	"errors"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"time"

	"fillbook/internal/base/outbound"
)

// emailSender sends mails by the operator's mail server.
type emailSender struct {
	network   *outbound.Network
	publicURL string
}

func (e emailSender) send(ctx context.Context, to map[string]string, p *parcel) outcome {
	err := e.network.SendMail(ctx, to[addressKey], e.compose(to[addressKey], p))
	if err == nil {
		return outcome{ok: true, status: 250}
	}
	o := failed(err)
	if refusal, ok := errors.AsType[*outbound.MailError](err); ok {
		o.status = refusal.Code
	}
	return o
}

// compose returns a mail with its headers.
func (e emailSender) compose(to string, p *parcel) []byte {
	m := p.message()
	from := e.network.MailFrom()
	if sender, err := mail.ParseAddress(from); err == nil { // it was checked at the start
		from = sender.String() // with an encoded name
	}
	host := from[strings.LastIndexByte(from, '@')+1:]
	var text strings.Builder
	header := func(name, value string) {
		text.WriteString(name + ": " + strings.NewReplacer("\r", " ", "\n", " ").Replace(value) + "\r\n")
	}
	header("From", from)
	header("To", to)
	header("Subject", mime.QEncoding.Encode("utf-8", "Fillbook: "+shorten(m.Title, 150)))
	header("Date", p.now.UTC().Format(time.RFC1123Z))
	header("Message-ID", "<"+p.eventID+"@"+strings.Trim(host, "<> ")+">")
	header("Auto-Submitted", "auto-generated")
	if e.publicURL != "" {
		header("List-Unsubscribe", "<"+strings.TrimRight(e.publicURL, "/")+"/settings>")
	}
	header("MIME-Version", "1.0")
	header("Content-Type", "text/plain; charset=utf-8")
	header("Content-Transfer-Encoding", "quoted-printable")
	text.WriteString("\r\n")
	body := quotedprintable.NewWriter(&text)
	_, _ = body.Write([]byte(strings.ReplaceAll(m.plain(), "\n", "\r\n") + "\r\n"))
	_ = body.Close()
	return []byte(text.String())
}
