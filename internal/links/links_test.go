package links_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/links"
)

const base = "https://notices.example.com/app"

func maker(t testing.TB, keys ...string) *links.Maker {
	t.Helper()
	var all [][]byte
	for _, k := range keys {
		all = append(all, bytes.Repeat([]byte(k), 32))
	}
	m, err := links.New(base, all)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func token(t testing.TB, link string) string {
	t.Helper()
	text, ok := strings.CutPrefix(link, base+links.OpenPath)
	if !ok {
		t.Fatalf("the link is %q", link)
	}
	return text
}

func TestLinksLeadWhereTheirReaderCanGo(t *testing.T) {
	t.Parallel()
	m := maker(t, "a")
	here := m.For(links.Reader{Seq: 7, Token: "tok/1"})
	for got, want := range map[string]string{
		here.Notice(12): base + "/n/12", here.Action(12, 2): base + "/n/12?a=2", here.Inbox(): base + "/inbox", here.Settings(): base + "/settings", here.Unsubscribe(): base + "/u/tok%2F1",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	away := links.Reader{Seq: 7, Token: "tok", Away: true}
	if got := m.For(away).Settings(); got != base+"/u/tok/settings" {
		t.Errorf("settings by the token are at %q", got)
	}
	away.Settings = "https://shop.example/me"
	if got := m.For(away).Settings(); got != away.Settings {
		t.Errorf("settings of the app are at %q", got)
	}
	for _, id := range []int64{0, 1, 127, 128, 1 << 40, 1<<63 - 1} {
		link := m.For(away).Notice(id)
		if id == 0 {
			link = m.For(away).Inbox()
		}
		if notice, seq, ok := m.Read(token(t, link)); !ok || notice != id || seq != 7 || len(token(t, link)) > links.MaxToken {
			t.Errorf("%q is read as notice %d of user %d, %v", link, notice, seq, ok)
		}
	}
}

func TestATokenIsReadOnlyUnderTheKeysThatSigned(t *testing.T) {
	t.Parallel()
	old := token(t, maker(t, "a").For(links.Reader{Seq: 7, Away: true}).Notice(12))
	if notice, seq, ok := maker(t, "b", "a").Read(old); !ok || notice != 12 || seq != 7 {
		t.Errorf("after a new key was put first: %d, %d, %v", notice, seq, ok)
	}
	if _, _, ok := maker(t, "b").Read(old); ok {
		t.Error("a token of another installation is read")
	}
	if _, err := links.New(base, nil); err == nil {
		t.Error("links are signed without a key")
	}
	for _, bad := range []string{"", "/x", base + "/", "https://"} {
		if _, err := links.New(bad, [][]byte{{1}}); err == nil {
			t.Errorf("links begin with %q", bad)
		}
	}
}

// FuzzToken shows that no text but the one that was made is read.
func FuzzToken(f *testing.F) {
	m := maker(f, "a")
	made := token(f, m.For(links.Reader{Seq: 300, Away: true}).Notice(1_000))
	raw, _ := base64.RawURLEncoding.DecodeString(made)
	f.Add(made)
	f.Add(made[:len(made)-1])
	f.Add(made + "A")
	f.Add(made + "=")
	f.Add(made[:9] + "\r\n" + made[9:])
	f.Add(strings.Repeat("A", 1000))
	f.Add("")
	for i := range raw {
		other := bytes.Clone(raw)
		other[i] ^= 1
		f.Add(base64.RawURLEncoding.EncodeToString(other))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if notice, seq, ok := m.Read(text); ok != (text == made) || ok && (notice != 1_000 || seq != 300) {
			t.Errorf("%q is read as notice %d of user %d, %v", text, notice, seq, ok)
		}
	})
}
