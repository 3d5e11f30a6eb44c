package push

import (
	"bytes"
	"crypto/ecdh"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

func TestTheExampleOfRFC8291ComesOutByteForByte(t *testing.T) {
	t.Parallel()
	raw := func(text string) []byte {
		t.Helper()
		b, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	own, err := ecdh.P256().NewPrivateKey(raw("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
	if err != nil {
		t.Fatal(err)
	}
	sub := Subscription{
		P256DH: [pointBytes]byte(raw("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")),
		Auth:   [16]byte(raw("BTBZMqHH6r4Tts7J_aSIgg")),
	}
	got, err := encrypt([]byte("When I grow up, I want to be a watermelon"), sub, own, [saltBytes]byte(raw("DGv6ra1nlYgDCS1FRnbzlw")))
	if err != nil {
		t.Fatal(err)
	}
	want := raw("DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_" +
		"yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
	if !bytes.Equal(got, want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
}

func TestABodyThatIsCutClosesItsIsolates(t *testing.T) {
	t.Parallel()
	text, err := payload(Message{Notification: Notification{Title: "Stock", Body: "\u2068" + strings.Repeat("é", 5000) + "\u2069", Navigate: "/inbox"}})
	if err != nil {
		t.Fatal(err)
	}
	var sent struct{ Notification Notification }
	if err := json.Unmarshal(text, &sent); err != nil || !strings.HasSuffix(sent.Notification.Body, "é…\u2069") {
		t.Errorf("the body ends in %q, %v", sent.Notification.Body[max(0, len(sent.Notification.Body)-20):], err)
	}
}

func TestAPayloadAlwaysFits(t *testing.T) {
	t.Parallel()
	text, err := payload(Message{Notification: Notification{Title: "Stock", Body: strings.Repeat("<é", 4000), Navigate: "/inbox"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > MaxPayload || !bytes.Contains(text, []byte("é")) {
		t.Errorf("%d bytes, at most %d fit, and some of the body is left", len(text), MaxPayload)
	}
}
