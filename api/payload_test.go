package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestABodyIsAcceptedOnlyAsDescribed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := `{"target":{"users":["alice"]},"type":"like","title":"A title"}`
	for name, c := range map[string]struct {
		body   string
		status int
		places []string
	}{
		"valid":                       {good, 202, nil},
		"with spaces":                 {" \n" + good + "\n", 202, nil},
		"the word null in a text":     {strings.Replace(good, "A title", "null and void", 1), 202, nil},
		"nothing":                     {``, 422, []string{"body"}},
		"not JSON":                    {`title=A`, 422, []string{"body"}},
		"cut off":                     {good[:len(good)-2], 422, []string{"body.title"}},
		"two documents":               {good + good, 422, []string{"body"}},
		"a list":                      {`[]`, 422, []string{"body"}},
		"null":                        {`null`, 422, []string{"body"}},
		"an unknown field":            {strings.Replace(good, "{", `{"colour":"red",`, 1), 422, []string{"body.colour"}},
		"an unknown field deeper":     {`{"target":{"users":["alice"],"group":"x"},"type":"like","title":"A title"}`, 422, []string{"body.target.group"}},
		"a field in another case":     {strings.Replace(good, `"title"`, `"Title"`, 1), 422, []string{"body.Title"}},
		"a field twice":               {strings.Replace(good, "{", `{"type":"like",`, 1), 422, []string{"body.type"}},
		"a field twice deeper":        {`{"target":{"role":"picker","role":"picker"},"type":"like","title":"A title"}`, 422, []string{"body.target.role"}},
		"a number for a text":         {strings.Replace(good, `"A title"`, `5`, 1), 422, []string{"body.title"}},
		"a text for a list":           {`{"target":{"users":"alice"},"type":"like","title":"A title"}`, 422, []string{"body.target.users"}},
		"a number in a list of texts": {`{"target":{"users":["alice",7]},"type":"like","title":"A title"}`, 422, []string{"body.target.users[1]"}},
		"a field that is null":        {strings.Replace(good, `"A title"`, `null`, 1), 422, []string{"body.title"}},
		"two wrong fields":            {`{"target":{"users":["alice"]},"type":4,"title":5}`, 422, []string{"body.title", "body.type"}},
		"invalid UTF-8":               {strings.Replace(good, "A title", "A \xff", 1), 422, []string{"body.title"}},
		"half a surrogate":            {strings.Replace(good, "A title", `A \ud800`, 1), 422, []string{"body.title"}},
		"a raw NUL":                   {strings.Replace(good, "A title", "A \x00", 1), 422, []string{"body.title"}},
		"a NUL":                       {strings.Replace(good, "A title", `A \u0000`, 1), 422, []string{"body.title"}},
		"deep":                        {strings.Replace(good, `["alice"]`, strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000), 1), 422, nil},
		"deep objects":                {strings.Repeat(`{"target":`, 5000) + "1" + strings.Repeat("}", 5000), 422, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var headers []string
			if c.body == "" {
				headers = []string{"Content-Type", "application/json"}
			}
			res := w.call(t, w.send, "POST", "/notices", c.body, headers...).is(t, c.status)
			if c.status == http.StatusAccepted {
				return
			}
			got := res.faults(t)
			slices.Sort(got)
			if len(got) == 0 || c.places != nil && !slices.Equal(got, c.places) {
				t.Errorf("faults at %v, want %v: %s", got, c.places, res.text)
			}
			if len(res.text) > 4<<10 {
				t.Errorf("an answer of %d bytes to a body of %d", len(res.text), len(c.body))
			}
		})
	}
}

func TestABodyMustBeJSONOfLimitedSize(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	typ := func(size int) string { return `{"open":true` + strings.Repeat(" ", size-len(`{"open":true}`)) + "}" }
	w.call(t, w.admin, "PUT", "/types/like", typ(maxBody)).is(t, http.StatusOK)
	w.call(t, w.admin, "PUT", "/types/like", typ(maxBody+1)).is(t, http.StatusRequestEntityTooLarge)
	body := func(size int) string {
		head := `{"target":{"users":["alice"]},"type":"like","title":"A title"`
		return head + strings.Repeat(" ", size-len(head)-1) + "}"
	}
	w.call(t, w.send, "POST", "/notices", body(maxNamesBody)).is(t, http.StatusAccepted)
	w.call(t, w.send, "POST", "/notices", body(maxNamesBody+1)).is(t, http.StatusRequestEntityTooLarge)
	w.call(t, w.send, "POST", "/notices/batch", `{"notices":[`+body(maxNamesBody+1)+`]}`).is(t, http.StatusAccepted)
	w.call(t, w.send, "POST", "/notices/batch", `{"notices":[`+body(maxBatchBody)+`]}`).is(t, http.StatusRequestEntityTooLarge)

	for kind, status := range map[string]int{
		"application/json":                  http.StatusAccepted,
		"Application/JSON; charset=utf-8":   http.StatusAccepted,
		"":                                  http.StatusAccepted,
		"application/x-www-form-urlencoded": http.StatusUnsupportedMediaType,
		"text/plain":                        http.StatusUnsupportedMediaType,
	} {
		res := w.call(t, w.send, "POST", "/notices", body(100), "Content-Type", kind).is(t, status)
		if status != http.StatusAccepted && !slices.Equal(res.faults(t), []string{"body"}) {
			t.Errorf("%s", res.text)
		}
	}
}

func TestAProblemStaysShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	many := `{"target":{"users":["alice"]},"title":"A title"` + strings.Repeat(`,"x`, 0)
	for i := range 3000 {
		many += `,"` + strings.Repeat("x", 10) + string(rune('a'+i%26)) + strings.Repeat("y", i/26) + `":1`
		if len(many) > 60_000 {
			break
		}
	}
	res := w.call(t, w.send, "POST", "/notices", many+"}").is(t, http.StatusUnprocessableEntity)
	if n := len(res.faults(t)); n != maxFaults {
		t.Errorf("%d faults are listed, want the first %d", n, maxFaults)
	}
}
